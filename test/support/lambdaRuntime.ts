/**
 * Runs Lambda's own runtime client in a child process. Its connection to Lambda is native code, built at installation;
 * messages from and to the parent process replace it.
 */
import { once } from 'node:events'
import { registerHooks } from 'node:module'
import { FUNCTION_LIMITS } from '../../infra/routes.ts'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: import.meta.url, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})

const ARN = `arn:aws:lambda:local:000000000000:function:${process.env.AWS_LAMBDA_FUNCTION_NAME}`

let invocations = 0

/** Waits for the next event. */
export async function next() {
  const [event] = await once(process, 'message')
  return {
    bodyJson: JSON.stringify(event),
    headers: {
      'lambda-runtime-aws-request-id': `invocation-${++invocations}`,
      'lambda-runtime-deadline-ms': String(Date.now() + FUNCTION_LIMITS.timeoutMs),
      'lambda-runtime-invoked-function-arn': ARN,
    },
  }
}

/** Sends the answer of the handler, or its error. */
export function done(_id: string, answer: string) {
  process.send?.(JSON.parse(answer))
}
export { done as error }

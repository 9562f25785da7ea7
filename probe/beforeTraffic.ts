/** Hook that CodeDeploy calls during a deploy: probes the new versions before they get requests, and reports the result. */
import { setTimeout } from 'node:timers/promises'
import { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import * as v from 'valibot'
import { type Ask, probe, type Question } from './probe.ts'

/** `VERSIONS` has the ARNs of the new versions, by route. */
const Environment = v.object({ VERSIONS: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())) })

const Answer = v.pipe(v.string(), v.parseJson(), v.object({ statusCode: v.number(), body: v.string() }))

interface HookEvent {
  DeploymentId: string
  LifecycleEventHookExecutionId: string
}

export async function handler({ DeploymentId, LifecycleEventHookExecutionId }: HookEvent): Promise<void> {
  let status: 'Succeeded' | 'Failed' = 'Succeeded'
  // CodeDeploy waits an hour if the hook ends without a report.
  try {
    const { VERSIONS } = v.parse(Environment, process.env)
    await probe(askVersions(VERSIONS))
  } catch (error) {
    console.error(error)
    status = 'Failed'
  }
  const report = { deploymentId: DeploymentId, lifecycleEventHookExecutionId: LifecycleEventHookExecutionId, status }
  const codeDeploy = new CodeDeployClient()
  await retryDenied(() => codeDeploy.send(new PutLifecycleEventHookExecutionStatusCommand(report)))
}

function askVersions(versions: Record<string, string>): Ask {
  const lambda = new LambdaClient()
  const deniedUntil = Date.now() + DENIED_MS
  return async (question) => {
    const input = { FunctionName: versions[question.routeKey], Payload: JSON.stringify(toEvent(question)) }
    const { Payload, FunctionError } = await retryDenied(() => lambda.send(new InvokeCommand(input)), deniedUntil)
    const output = Payload?.transformToString() ?? ''
    if (FunctionError) throw new Error(`the function failed with ${output}`)
    const { statusCode, body } = v.parse(Answer, output)
    return { status: statusCode, body }
  }
}

/** Time until a right takes effect that the deploy has just given. */
const DENIED_MS = 60_000
const WAIT_MS = 500

/** Repeats a call while it is denied. @param until time in milliseconds after which it gives up */
async function retryDenied<Result>(call: () => Promise<Result>, until = Date.now() + DENIED_MS): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const isDenied = error instanceof Error && error.name.startsWith('AccessDenied')
      if (!isDenied || Date.now() > until) throw error
    }
    await setTimeout(WAIT_MS)
  }
}

/** Makes an event of API Gateway, with only the fields that the functions read. */
function toEvent({ routeKey, query, id, body }: Question) {
  return {
    routeKey,
    rawQueryString: `${new URLSearchParams(query)}`,
    headers: {},
    ...(query && { queryStringParameters: query }),
    ...(id && { pathParameters: { id } }),
    requestContext: { requestId: 'before-traffic' },
    ...(body && { body }),
    isBase64Encoded: false,
  }
}

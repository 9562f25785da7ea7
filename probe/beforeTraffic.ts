/** CodeDeploy's hook: probes the new versions before they get requests, and tells it whether the deploy may go on. */
import { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import * as v from 'valibot'
import { type Ask, probe, type Question } from './probe.ts'

/** The ARNs of the new versions, by route. */
const Environment = v.object({ VERSIONS: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())) })

const Answer = v.pipe(v.string(), v.parseJson(), v.object({ statusCode: v.number(), body: v.string() }))

interface HookEvent {
  DeploymentId: string
  LifecycleEventHookExecutionId: string
}

export async function handler({ DeploymentId, LifecycleEventHookExecutionId }: HookEvent): Promise<void> {
  let status: 'Succeeded' | 'Failed' = 'Succeeded'
  // CodeDeploy waits an hour for a hook that ends without an answer.
  try {
    const { VERSIONS } = v.parse(Environment, process.env)
    await probe(askVersions(VERSIONS))
  } catch (error) {
    console.error(error)
    status = 'Failed'
  }
  const report = { deploymentId: DeploymentId, lifecycleEventHookExecutionId: LifecycleEventHookExecutionId, status }
  await new CodeDeployClient().send(new PutLifecycleEventHookExecutionStatusCommand(report))
}

function askVersions(versions: Record<string, string>): Ask {
  const lambda = new LambdaClient()
  return async (question) => {
    const input = { FunctionName: versions[question.routeKey], Payload: JSON.stringify(toEvent(question)) }
    const { Payload, FunctionError } = await lambda.send(new InvokeCommand(input))
    const output = Payload?.transformToString() ?? ''
    if (FunctionError) throw new Error(`the function failed with ${output}`)
    const { statusCode, body } = v.parse(Answer, output)
    return { status: statusCode, body }
  }
}

/** What the functions read of API Gateway's events. */
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

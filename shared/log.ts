/** Logs objects. Lambda writes them as JSON, with name, message, stack and properties of each error in them. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Logs an error with its cause, which Lambda would leave out, and the request that failed. */
export function logError(
  error: unknown,
  { routeKey, rawQueryString, pathParameters, requestContext }: APIGatewayProxyEventV2,
): undefined {
  console.error({
    route: routeKey,
    query: rawQueryString,
    id: pathParameters?.id,
    apiRequestId: requestContext?.requestId,
    error,
    cause: Object(error).cause,
  })
}

/** Logs the request that added a joke, and its client. The local service does not know the client and logs nothing. */
export function logAdded(id: string, { headers, requestContext }: APIGatewayProxyEventV2): void {
  const { 'x-forwarded-for': addresses, 'user-agent': userAgent } = headers ?? {}
  if (addresses === undefined) return
  // Clients can make both long, which costs. The last address called AWS, and clients can forge those before it.
  const client = { forwardedFor: addresses.slice(-100), userAgent: userAgent?.slice(0, 200) }
  console.info({ added: id, apiRequestId: requestContext?.requestId, ...client })
}

/** Logs the size of the jokes in memory after a load. An alarm counts the lines whose jokes are truncated. */
export function logLoad(load: { jokes: number; bytes: number; isTruncated: boolean; milliseconds: number }): void {
  if (process.env.AWS_LAMBDA_FUNCTION_VERSION !== undefined) console.info(load)
}

/** A proxy between the service and the database that injects faults of networks and of servers. */
import { buffer } from 'node:stream/consumers'
import { inject } from 'vitest'
import { listen } from './listen.ts'

export type Fault =
  /** The connection breaks before or after the call takes effect. */
  | 'drop before'
  | 'drop after'
  /** DynamoDB answers 500, before or after doing its work. */
  | 'fail before'
  | 'fail after'
  | 'throttle'
  /** No answer arrives. */
  | 'hang'
  /** Only the headers and one byte of the answer arrive. */
  | 'stall'
  /** A header arrives byte by byte and never ends. */
  | 'trickle'
  /** No answer arrives. The function decides when the call takes effect, which returns DynamoDB's status. */
  | ((takeEffect: () => Promise<number>) => unknown)

/** Chooses the fault of each call, if any. A plan may also send requests or change the proxy at that moment. */
export type Plan = (operation: string, input: Record<string, unknown>) => Fault | undefined | Promise<Fault | undefined>

/** Returns a plan with this fault for the first call of each of these operations. */
export function first(fault: Fault, ...operations: string[]): Plan {
  const untouched = new Set(operations)
  return (called) => (untouched.delete(called) ? fault : undefined)
}

const TRICKLE_MS = 50
const FORWARDED = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

/** Starts a proxy in front of the database. */
export async function startProxy(database = inject('endpoint')) {
  const proxy: { plan: Plan } = { plan: () => undefined }
  const { server, url } = await listen(async (request, response) => {
    const operation = `${request.headers['x-amz-target']}`.replace(/.*\./, '')
    const body = String(await buffer(request))
    const fault = await proxy.plan(operation, JSON.parse(body))
    const headers = FORWARDED.map((name): [string, string] => [name, `${request.headers[name]}`])
    const forward = async () => {
      const answer = await fetch(database, { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text() }
    }
    const answer = ({ status, text }: { status: number; text: string }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text)
    }
    if (typeof fault === 'function') return void fault(async () => (await forward()).status)
    if (fault?.endsWith('after')) await forward()
    if (fault?.startsWith('drop')) return void request.socket.destroy()
    if (fault?.startsWith('fail')) return answer({ status: 500, text: error('InternalServerError') })
    if (fault === 'throttle') return answer({ status: 400, text: error('ProvisionedThroughputExceededException') })
    if (fault === 'hang') return
    if (fault === 'trickle') {
      const { socket } = request
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const trickle = setInterval(() => socket.write('x'), TRICKLE_MS)
      return void socket.on('close', () => clearInterval(trickle))
    }
    const { status, text } = await forward()
    if (fault !== 'stall') return answer({ status, text })
    response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).write(text.slice(0, 1))
  })
  return Object.assign(proxy, {
    endpoint: url,
    /** Ends all connections. */
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  })
}

function error(name: string): string {
  return JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name })
}

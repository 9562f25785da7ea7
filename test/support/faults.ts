/** Stands between the service and the database and does what networks, overloaded and dying servers do. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect, inject, vi } from 'vitest'
import { type Answer, startService } from './service.ts'

export type Fault =
  /** The call never arrives, or its answer gets lost. */
  | 'drop before'
  | 'drop after'
  /** DynamoDB fails, without or with having done its work. */
  | 'fail before'
  | 'fail after'
  /** Refused for load. */
  | 'throttle'
  | 'delay'
  /** No answer, half of one, or one that comes byte by byte. */
  | 'hang'
  | 'stall'
  | 'trickle'
  /** A batch is answered, but not done. */
  | 'leave unprocessed'

/** Which fault a call meets, if any; asked for each call, so that it can also do something at that moment. */
export type Plan = (operation: string) => Fault | undefined | Promise<Fault | undefined>

/** The first calls of an operation meet these faults, all others none. */
export function first(operation: string, ...faults: Fault[]): Plan {
  return (called) => (called === operation ? faults.shift() : undefined)
}

/** All calls of an operation meet a fault. */
export function always(operation: string, fault: Fault): Plan {
  return (called) => (called === operation ? fault : undefined)
}

/** Limits that give up a call after so many milliseconds. */
export function giveUpAfter(milliseconds: number) {
  return { CONNECT_MS: milliseconds, ATTEMPT_MS: milliseconds, FIRST_WAIT_MS: 10, OPERATION_MS: 4 * milliseconds }
}

/** No call takes as long, on however busy a machine. */
const PATIENT = { ...giveUpAfter(30_000), CONNECT_MS: 1_000 }

/** Starts the service behind a proxy. Until both are stopped, errors are not printed. */
export async function startBehindProxy(limits: Parameters<typeof startService>[0] = PATIENT) {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const proxy = await FaultProxy.before(inject('endpoint'))
  const service = await startService(limits, proxy.endpoint)
  // Each of the two connections reads its endpoint from the environment at its first call.
  await service.list()
  await service.thumbUp('-'.repeat(22))
  const stop = async () => {
    await service.stop()
    proxy.stop()
    log.mockRestore()
  }
  return { proxy, service, stop }
}

export const MAYBE_ADDED = 'The joke may or may not have been added: send it again to be sure.'
export const MAYBE_COUNTED = 'The upvote may or may not have been counted.'
export const NOT_COUNTED = 'The upvote was not counted: try again.'
export const NOT_READ = 'The jokes could not be read just now: try again.'

/** Expects a 503 with this detail, and its cause in the log. */
export function expectUnavailable(
  { status, headers, body }: Answer,
  detail: string,
  cause: unknown = expect.anything(),
): void {
  expect(status).toBe(503)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('retry-after')).toBe('1')
  expect(body).toEqual({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail })
  const error = expect.objectContaining({ name: 'Unavailable', message: detail, cause })
  expect(console.error).toHaveBeenCalledWith(expect.objectContaining({ error }))
}

const DELAY_MS = 50
const FORWARDED = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

export class FaultProxy {
  plan: Plan = () => undefined
  /** The client's port of each call: the same one, the same connection. */
  readonly clientPorts: (number | undefined)[] = []
  readonly endpoint: string
  private readonly server: Server
  private readonly port: number

  private constructor(server: Server) {
    this.server = server
    this.port = Object(server.address()).port
    this.endpoint = `http://127.0.0.1:${this.port}`
  }

  /** Starts a proxy before a database. */
  static async before(database: string): Promise<FaultProxy> {
    const server = createServer((request, response) => proxy.handle(database, request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy: FaultProxy = new FaultProxy(server)
    return proxy
  }

  /** Ends all connections, and refuses new ones. */
  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  /** Accepts connections again. */
  resume(): void {
    this.server.listen(this.port, '127.0.0.1')
  }

  private async handle(database: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = `${request.headers['x-amz-target']}`.replace(/.*\./, '')
    const body = await buffer(request)
    this.clientPorts.push(request.socket.remotePort)
    const fault = await this.plan(operation)
    const headers = FORWARDED.map((name): [string, string] => [name, `${request.headers[name]}`])
    const forward = async () => {
      const answer = await fetch(database, { method: 'POST', headers, body: new Uint8Array(body) })
      return { status: answer.status, text: await answer.text() }
    }
    const answer = ({ status, text }: { status: number; text: string }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text)
    }

    switch (fault) {
      case 'drop before':
        return void request.socket.destroy()
      case 'drop after':
        await forward()
        return void request.socket.destroy()
      case 'fail before':
        return answer({ status: 500, text: error('InternalServerError') })
      case 'fail after':
        await forward()
        return answer({ status: 500, text: error('InternalServerError') })
      case 'throttle':
        return answer({ status: 400, text: error('ProvisionedThroughputExceededException') })
      case 'delay':
        await setTimeout(DELAY_MS)
        return answer(await forward())
      case 'hang':
        return
      case 'stall': {
        const { status, text } = await forward()
        response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).write(text.slice(0, 1))
        return
      }
      case 'trickle': {
        const { socket } = request
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
        const trickle = setInterval(() => socket.write('x'), DELAY_MS)
        socket.on('close', () => clearInterval(trickle))
        return
      }
      case 'leave unprocessed': {
        const { RequestItems } = JSON.parse(body.toString())
        return answer({
          status: 200,
          text: JSON.stringify({ UnprocessedItems: RequestItems, UnprocessedKeys: RequestItems }),
        })
      }
      default:
        return answer(await forward())
    }
  }
}

function error(name: string): string {
  return JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name })
}

/** A proxy between the service and the database that injects faults of networks and of servers. */
import { buffer } from 'node:stream/consumers'
import { expect, inject, vi } from 'vitest'
import { PROBLEMS } from '../../shared/errors.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { Limits } from '../../shared/store/limits.ts'
import { listen } from './listen.ts'
import { type Answer, expectProblem, startService } from './service.ts'

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
  | Late

/** A call that takes effect at some later time, and is not answered. */
interface Late {
  until: Promise<unknown>
  /** Called with DynamoDB's status. */
  onEffect?: (status: number) => void
}

/** Chooses the fault of each call, if any. A plan may also send requests or change the proxy at that moment. */
export type Plan = (operation: string) => Fault | undefined | Promise<Fault | undefined>

/** Returns a plan with this fault for the first call of each of these operations. */
export function first(fault: Fault, ...operations: string[]): Plan {
  const untouched = new Set(operations)
  return (called) => (untouched.delete(called) ? fault : undefined)
}

/** Limits that end each attempt after this time, and all calls of a request after four times this time. */
export function giveUpAfter(milliseconds: number) {
  return { connectMs: milliseconds, attemptMs: milliseconds, firstWaitMs: 10, operationMs: 4 * milliseconds }
}

/** Limits longer than any attempt on a busy machine. Only a connection that is never established ends soon. */
const PATIENT = { ...giveUpAfter(30_000), connectMs: 1_000 }

const stops: (() => Promise<void>)[] = []

/** Starts the service behind a proxy, until {@link stopAll}. Its logs are recorded, not printed. */
export async function startBehindProxy(limits: Partial<Limits> = PATIENT) {
  for (const method of ['error', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((line) => void logged.push(line))
  const proxy = await startProxy()
  const service = await startService(limits, proxy.endpoint)
  stops.push(service.stop, async () => proxy.stop())
  return { proxy, service }
}

export async function stopAll(): Promise<void> {
  for (const stop of stops) await stop()
}

/** The lines that services logged. The calls of a spy would be lost when a concurrent test starts. */
const logged: unknown[] = []

/** Expects a 503 with this code, and the cause in the log. */
export function expectUnavailable(answer: Answer, code: ProblemCode, cause: unknown = expect.anything()): void {
  const { detail } = PROBLEMS[code]
  expectProblem(answer, { status: 503, title: 'Service Unavailable', code, detail })
  expect(answer.headers.get('retry-after')).toBe('1')
  const error = expect.objectContaining({ name: 'ProblemError', code, message: detail, cause })
  expect(logged).toContainEqual(expect.objectContaining({ error }))
}

const TRICKLE_MS = 50
const FORWARDED = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

/** Starts a proxy in front of the database. */
export async function startProxy() {
  const proxy: { plan: Plan } = { plan: () => undefined }
  const { server, port, url } = await listen(async (request, response) => {
    const operation = `${request.headers['x-amz-target']}`.replace(/.*\./, '')
    const body = await buffer(request)
    const fault = await proxy.plan(operation)
    const headers = FORWARDED.map((name): [string, string] => [name, `${request.headers[name]}`])
    const forward = async (text = body.toString()) => {
      const answer = await fetch(inject('endpoint'), { method: 'POST', headers, body: text })
      return { status: answer.status, text: await answer.text() }
    }
    const answer = ({ status, text }: { status: number; text: string }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text)
    }
    if (typeof fault === 'object') {
      await fault.until
      const { status } = await forward()
      return fault.onEffect?.(status)
    }
    if (fault?.endsWith('after')) await forward()

    switch (fault) {
      case 'drop before':
      case 'drop after':
        return void request.socket.destroy()
      case 'fail before':
      case 'fail after':
        return answer({ status: 500, text: error('InternalServerError') })
      case 'throttle':
        return answer({ status: 400, text: error('ProvisionedThroughputExceededException') })
      case 'hang':
        return
      case 'stall': {
        const { status, text } = await forward()
        return void response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).write(text.slice(0, 1))
      }
      case 'trickle': {
        const { socket } = request
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
        const trickle = setInterval(() => socket.write('x'), TRICKLE_MS)
        return void socket.on('close', () => clearInterval(trickle))
      }
      default:
        return answer(await forward())
    }
  })
  return Object.assign(proxy, {
    endpoint: url,
    /** Ends all connections and refuses new ones. */
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
    /** Accepts connections again. */
    resume: () => void server.listen(port, '127.0.0.1'),
  })
}

function error(name: string): string {
  return JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name })
}

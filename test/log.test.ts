/** The logs of functions, which are plain, short and harmless whatever clients send. */
import { expect, it, vi } from 'vitest'
import { logAdded, logError, logSkipped } from '../shared/log.ts'
import create from './events/create.json' with { type: 'json' }

const event = { ...create, routeKey: 'GET /joke', rawQueryString: 'searchString=chick' }

/** The values that the work writes with one method of the console. */
function written(method: 'error' | 'info' | 'warn', work: () => void): unknown[] {
  using spy = vi.spyOn(console, method).mockImplementation(() => {})
  work()
  return spy.mock.calls.map(([line]) => line)
}

const errorLine = (error: unknown, request = event) => written('error', () => logError(error, request))[0]

it('a failed request is logged with route, query, id and plain error', () => {
  const stack = 'Error: no\n    at one\n    at two'
  expect(errorLine(Object.assign(new TypeError('no'), { stack }))).toStrictEqual({
    route: 'GET /joke',
    query: 'searchString=chick',
    apiRequestId: 'PqRsTgHiDoEEJ8g=',
    error: { name: 'TypeError', message: 'no', stack: ['at one', 'at two'] },
  })
})

it('a failed database call is logged with the metadata of its response', () => {
  const $metadata = { requestId: 'DB1', httpStatusCode: 500, attempts: 3 }
  const error = { code: 'ECONNRESET', database: $metadata }
  expect(errorLine(Object.assign(new Error('no'), { code: 'ECONNRESET', $metadata }))).toMatchObject({ error })
})

it('an error is logged with up to four causes', () => {
  let error: Error | undefined
  for (const message of ['6', '5', '4', '3', '2', '1']) error = new Error(message, { cause: error })
  const messages: string[] = []
  for (let line = Object(errorLine(error)).error; line; line = line.cause) messages.push(line.message)
  expect(messages).toEqual(['1', '2', '3', '4', '5'])
})

it.each([
  ['a line feed', 'line\nfeed', 'line%0Afeed'],
  ['characters beyond ASCII', 'é\u202e', '%C3%A9%E2%80%AE'],
  ['a lone surrogate', '\ud800', '%EF%BF%BD'],
  ['2,000 letters', 'x'.repeat(2_000), 'x'.repeat(2_000)],
  ['2,001 letters', 'x'.repeat(2_001), `${'x'.repeat(2_000)}…`],
])('text from outside is logged printable and short: %s', (_, text, logged) => {
  expect(errorLine(text, { ...event, rawQueryString: text })).toMatchObject({ query: logged, error: logged })
  expect(errorLine(new Error(text))).toMatchObject({ error: { message: logged } })
  expect(written('error', () => logSkipped(text, [text]))).toEqual([{ skippedItem: logged, faults: [logged] }])
})

it('an added joke is logged with its client and the addresses that it cannot forge', () => {
  const addresses = '2001:db8:1111:2222:3333:4444:5555:6666, 64.252.70.1'
  const headers = { 'x-forwarded-for': `${'9'.repeat(9_000)}, ${addresses}`, 'user-agent': 'x'.repeat(201) }
  expect(written('info', () => logAdded('joke-1', { ...event, ...Object({ headers }) }))).toStrictEqual([
    {
      added: 'joke-1',
      apiRequestId: 'PqRsTgHiDoEEJ8g=',
      forwardedFor: expect.stringMatching(`^9{47}, ${addresses}$`),
      userAgent: `${'x'.repeat(200)}…`,
    },
  ])
  for (const unknown of [{ ...event, headers: {} }, {}])
    expect(written('info', () => logAdded('joke-1', Object(unknown)))).toEqual([])
})

/** The logs of functions. */
import { expect, it, vi } from 'vitest'
import { logAdded, logError } from '../shared/log.ts'
import create from './events/create.json' with { type: 'json' }

const event = { ...create, routeKey: 'GET /joke', rawQueryString: 'searchString=chick' }

/** The values that the work writes with one method of the console. */
function written(method: 'error' | 'info', work: () => void): unknown[] {
  using spy = vi.spyOn(console, method).mockImplementation(() => {})
  work()
  return spy.mock.calls.map(([line]) => line)
}

it('a failed request is logged with route, query, error and cause', () => {
  const cause = new Error('lost')
  const error = new TypeError('no', { cause })
  expect(written('error', () => logError(error, event))).toStrictEqual([
    { route: 'GET /joke', query: 'searchString=chick', id: undefined, apiRequestId: 'PqRsTgHiDoEEJ8g=', error, cause },
  ])
})

it('an added joke is logged with its client and the addresses that it cannot forge', () => {
  const addresses = '2001:db8:1111:2222:3333:4444:5555:6666, 64.252.70.1'
  const headers = { 'x-forwarded-for': `${'9'.repeat(9_000)}, ${addresses}`, 'user-agent': 'x'.repeat(201) }
  expect(written('info', () => logAdded('joke-1', { ...event, ...Object({ headers }) }))).toStrictEqual([
    {
      added: 'joke-1',
      apiRequestId: 'PqRsTgHiDoEEJ8g=',
      forwardedFor: expect.stringMatching(`^9{47}, ${addresses}$`),
      userAgent: 'x'.repeat(200),
    },
  ])
  for (const unknown of [{ ...event, headers: {} }, {}])
    expect(written('info', () => logAdded('joke-1', Object(unknown)))).toEqual([])
})

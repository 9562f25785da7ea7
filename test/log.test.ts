/** The logs of functions. */
import { expect, it, vi } from 'vitest'
import { logAdded, logError } from '../shared/log.ts'
import create from './events/create.json' with { type: 'json' }

const event = { ...create, routeKey: 'GET /joke', rawQueryString: 'searchString=chick' }

it('a failed request is logged with route, query, error and cause', () => {
  using log = vi.spyOn(console, 'error').mockReturnValue()
  const cause = new Error('lost')
  const error = new TypeError('no', { cause })
  logError(error, event)
  const request = { route: 'GET /joke', query: 'searchString=chick', id: undefined, apiRequestId: 'PqRsTgHiDoEEJ8g=' }
  expect(log.mock.calls).toStrictEqual([[{ ...request, error, cause }]])
})

it('an added joke is logged with its client and the addresses that it cannot forge', () => {
  using log = vi.spyOn(console, 'info').mockReturnValue()
  const addresses = '2001:db8:1111:2222:3333:4444:5555:6666, 64.252.70.1'
  const headers = { 'x-forwarded-for': `${'9'.repeat(9_000)}, ${addresses}`, 'user-agent': 'x'.repeat(201) }
  // The local service does not know the client.
  for (const sent of [{ ...event, headers }, { ...event, headers: {} }, {}]) logAdded('joke-1', Object(sent))
  const client = { forwardedFor: expect.stringMatching(`^9{47}, ${addresses}$`), userAgent: 'x'.repeat(200) }
  expect(log.mock.calls).toStrictEqual([[{ added: 'joke-1', apiRequestId: 'PqRsTgHiDoEEJ8g=', ...client }]])
})

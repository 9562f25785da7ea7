/** The preview of a joke, which the page's function reads from the table. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { act } from '../../shared/store/operators/states.ts'
import { emptyTable } from '../support/access.ts'
import { first, startBehindProxy, stopAll } from '../support/faults.ts'
import { startService } from '../support/service.ts'

const service = await startService()
beforeEach(() => emptyTable(service.store))
afterAll(async () => {
  vi.restoreAllMocks()
  await stopAll()
  await service.stop()
})

async function open(url: string, id: string) {
  const response = await fetch(`${url}/?id=${id}`)
  const html = await response.text()
  const title = /og:title" content="([^"]*)"/.exec(html)?.[1]
  return { title, html, headers: response.headers }
}

it('the page of a joke has its preview, and an ETag of it', async () => {
  const [joke] = await service.add({ joke: 'Who is there?', punchline: '', category: 'Classic' })
  const { title, html, headers } = await open(service.url, `${joke?.id}`)
  expect(title).toBe('Who is there?')
  expect(html).toMatch(new RegExp(`og:url" content="http://localhost:\\d+/\\?id=${joke?.id}"`))
  expect(headers.get('cache-control')).toBe('no-store')
  const general = await fetch(service.url)
  expect(general.headers.get('etag')).not.toBe(headers.get('etag'))
  const again = await fetch(`${service.url}/?id=${joke?.id}`, {
    headers: { 'if-none-match': `${headers.get('etag')}` },
  })
  expect(again.status).toBe(304)
})

it('a joke that is not listed has the general preview', async () => {
  const [joke] = await service.add({ joke: 'Bad', category: 'Classic' })
  await act(service.store, `${joke?.id}`, 'remove')
  expect((await open(service.url, `${joke?.id}`)).title).toBe('Joke Service')
  expect((await open(service.url, '-'.repeat(22))).title).toBe('Joke Service')
})

it('a database that does not answer in time leaves the general preview', async () => {
  const { proxy, service: slow } = await startBehindProxy({ previewMs: 1_000 })
  const [joke] = await slow.add({ joke: 'Slow', category: 'Classic' })
  proxy.plan = first('hang', 'GetItem')
  expect((await open(slow.url, `${joke?.id}`)).title).toBe('Joke Service')
  expect((await open(slow.url, `${joke?.id}`)).title).toBe('Slow')
})

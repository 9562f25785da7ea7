/** `npm run smoke`, which operators run after a deploy. */
import { afterAll, describe, expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { operate, runHere } from '../support/process.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

describe('npm run smoke', () => {
  it('lists, searches and gets a joke by its id, and changes nothing', async () => {
    expect(await runHere('smoke', service.url)).toEqual({
      code: 0,
      stdout: 'It lists jokes.\nNo jokes with words yet, so there is nothing to search for.\n',
      stderr: '',
    })
    await service.create({ joke: `Don't ${'panic '.repeat(30)}`, category: 'Classic' })
    // No search finds this one.
    await service.create({ joke: '?!?!', category: 'Classic' })
    expect(await runHere('smoke', service.url)).toEqual({
      code: 0,
      stdout: 'It lists jokes.\nIt finds a joke by its words.\nIt finds a joke by its id.\n',
      stderr: '',
    })
    expect(await service.jokes()).toHaveLength(2)
  })

  it('with --write and a store adds, finds and upvotes a joke, and removes it again', async () => {
    const before = await service.jokes()
    const { code, stdout } = await operate(service.store, 'smoke', service.url, '--write')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/new joke by its words\.\n.*upvote\.\n.*removed again\.\n$/),
    ])
    expect(await service.jokes()).toEqual(before)
    expect(await operate(service.store, 'smoke', service.url)).toMatchObject({ code: 1 })
  })

  it('with --write adds, finds and upvotes a joke, and says how to remove it', async () => {
    const { code, stdout } = await runHere('smoke', service.url, '--write')
    const [{ id, thumbsUp } = { id: '', thumbsUp: 0 }] = await service.jokes({ searchString: 'service working' })
    expect(code).toBe(0)
    expect(stdout).toContain(
      `It adds a joke.\nIt finds the new joke by its words.\nIt counts an upvote.\nTo remove the joke: npm run remove -- ${id} --stack NAME; for npm start, --local instead.\n`,
    )
    expect(thumbsUp).toBe(1)
  })

  it.each([
    ['answers 500', 500, '{"title":"Internal Server Error"}', /answers 500 instead of 200: \{"title"/],
    ['answers with other JSON', 200, '[{"id":7}]', /^An answer has the wrong shape: /],
    ['answers with HTML', 200, '<html>', /does not answer with JSON: <html>/],
  ])('reports a service that %s', async (_, status, body, message) => {
    const { server, url } = await listen((_, response) => response.writeHead(status).end(body))
    expect(await runHere('smoke', url)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) })
    server.close()
  })

  it('reports a search that does not find a listed joke', async () => {
    const joke = { joke: 'Lost', punchline: '', category: 'Classic', thumbsUp: 0, thumbsDown: 0 }
    const listed = JSON.stringify([{ id: 'a'.repeat(22), ...joke, dateAdded: '2026-01-01T00:00:00.000Z' }])
    const { server, url } = await listen(({ url }, response) =>
      response.end(url?.includes('searchString') ? '[]' : listed),
    )
    expect(await runHere('smoke', url)).toEqual({
      code: 1,
      stdout: 'It lists jokes.\n',
      stderr: expect.stringContaining('searchString=Lost'),
    })
    server.close()
  })

  it('reports a service that does not exist', async () => {
    expect(await runHere('smoke', 'http://127.0.0.1:1')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('does not answer'),
    })
  })
})

/** `npm run smoke` as an operator meets it after a deploy. */
import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('npm run smoke', () => {
  it('lists, searches and gets a joke by its id, and changes nothing', async () => {
    expect(await smoke(service.url)).toEqual([
      0,
      'It lists jokes.\nNo jokes yet, so there is nothing to search for.\n',
      '',
    ])
    await service.create({ joke: `Don't ${'panic '.repeat(30)}`, category: 'Classic' })
    expect(await smoke(service.url)).toEqual([
      0,
      'It lists jokes.\nIt finds a joke by its words.\nIt finds a joke by its id.\n',
      '',
    ])
    expect(await service.jokes()).toHaveLength(1)
  })

  it('with --write adds and upvotes a joke, and says how to remove it', async () => {
    const [exitCode, output] = await smoke(service.url, '--write')
    const [{ id, thumbsUp } = { id: '', thumbsUp: 0 }] = await service.jokes({ searchString: 'service working' })
    expect(exitCode).toBe(0)
    expect(output).toContain(
      `It adds a joke. To remove it: npm run remove -- ${id}; add --stack NAME or --local unless this is production.\nIt counts an upvote.\n`,
    )
    expect(thumbsUp).toBe(1)
  })

  it.each([
    ['fails', 500, '{"title":"Internal Server Error"}', /answers 500 instead of 200: \{"title"/],
    ['answers with something else', 200, '[{"id":7}]', /^An answer has the wrong shape: /],
    ['is another one', 200, '<html>', /does not answer with JSON: <html>/],
  ])('reports a service that %s', async (_, status, body, message) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body))
    expect(await smoke(await listen(server))).toEqual([1, '', expect.stringMatching(message)])
    server.close()
  })

  it('reports a search that does not find a listed joke', async () => {
    const joke = { joke: 'Lost', punchline: '', category: 'Classic', thumbsUp: 0, thumbsDown: 0 }
    const listed = JSON.stringify([{ id: 'a'.repeat(22), ...joke, dateAdded: '2026-01-01T00:00:00.000Z' }])
    const server = createServer(({ url }, response) => response.end(url?.includes('searchString') ? '[]' : listed))
    expect(await smoke(await listen(server))).toEqual([
      1,
      'It lists jokes.\n',
      expect.stringContaining('searchString=Lost'),
    ])
    server.close()
  })

  it('reports a service that does not exist', async () => {
    expect(await smoke('http://127.0.0.1:1')).toEqual([1, '', expect.stringContaining('does not answer')])
  })
})

/** Exit code, standard output and standard error. */
function smoke(...args: string[]): Promise<[number, string, string]> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['tools/smoke.ts', ...args], (_, output, errors) =>
      resolve([child.exitCode ?? -1, output, errors]),
    )
  })
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${Object(server.address()).port}`
}

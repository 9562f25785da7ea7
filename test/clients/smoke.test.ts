/** `npm run smoke`, which operators run after a deploy. */
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { listen } from '../support/listen.ts'
import { operate, runHere } from '../support/process.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

describe('npm run smoke', () => {
  it('says what works, and changes nothing', async () => {
    const works = (...what: string[]) => ({ code: 0, stdout: what.map((each) => `${each}\n`).join(''), stderr: '' })
    const always = ['It lists jokes.', 'It knows which jokes do not exist.']
    expect(await runHere('smoke', service.url)).toEqual(
      works(...always, 'No jokes with words yet, so there is nothing to search for.'),
    )
    await service.create({ joke: `Don't ${'panic '.repeat(30)}`, category: 'Classic' })
    // No search finds this one.
    await service.create({ joke: '?!?!', category: 'Classic' })
    expect(await runHere('smoke', service.url)).toEqual(
      works(...always, 'It finds a joke by its words.', 'It finds a joke by its id.', 'It adds no joke twice.'),
    )
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

  it('with --write, where new jokes wait for approval, lets in its own if it may, and says so', async () => {
    service.store.approval = true
    const { code, stdout } = await operate(service.store, 'smoke', service.url, '--write')
    const alone = await runHere('smoke', service.url, '--write')
    service.store.approval = false
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/waits for approval\.\nIt finds the new.+\nIt counts.+\nThe joke is removed again\.\n$/),
    ])
    expect([alone.code, alone.stdout]).toEqual([0, expect.stringMatching(/waits for approval\.\nTo remove the joke: /)])
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

  it('with --write notices an upvote that is not counted', async () => {
    const { server, url } = await listen(async (request, response) => {
      const { method = '', url } = request
      const answer = await fetch(`${service.url}${url}`, {
        method,
        body: method === 'POST' ? await text(request) : null,
      })
      const body = await answer.text()
      response.writeHead(answer.status).end(body.replace('"thumbsUp":1', '"thumbsUp":0'))
    })
    expect(await runHere('smoke', url, '--write')).toMatchObject({
      code: 1,
      stderr: 'After one upvote, the joke has 0.\n',
    })
    server.close()
  })

  it('gives up a service that does not answer for ten seconds', async () => {
    const { server, url } = await listen()
    const limit = AbortSignal.timeout
    // A thousandth, to save time.
    const limited = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => limit.call(AbortSignal, ms / 1_000))
    const { code, stderr } = await runHere('smoke', url)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^GET \/joke is not answered: .*timeout/)])
    expect(limited).toHaveBeenCalledWith(10_000)
    limited.mockRestore()
    server.closeAllConnections()
    server.close()
  })

  it('reports a service that does not exist', async () => {
    expect(await runHere('smoke', 'http://127.0.0.1:1')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^GET \/joke is not answered: /),
    })
  })
})

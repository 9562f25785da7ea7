/** `npm run smoke`, which operators run after a deploy. */
import { afterAll, describe, expect, it, vi } from 'vitest'
import { operate, runHere } from '../support/process.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

it('npm run smoke says what works, and changes nothing', async () => {
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

describe('npm run smoke -- --write', () => {
  it.each([
    [false, ''],
    [true, 'The new joke waits for approval.\n'],
  ])('adds, finds, upvotes and removes a joke in a store, where approval is %j', async (approval, waits) => {
    service.store.approval = approval
    const before = await service.jokes()
    const { code, stdout } = await operate(service.store, 'smoke', service.url, '--write')
    service.store.approval = false
    const used = 'It finds the new joke by its words.\nIt counts an upvote.\nThe joke is removed again.\n'
    expect([code, stdout]).toEqual([0, expect.stringContaining(`It adds a joke.\n${waits}${used}`)])
    expect(await service.jokes()).toEqual(before)
  })

  it('without a store says how to remove the joke, and finds it only if it does not wait', async () => {
    const { code, stdout } = await runHere('smoke', service.url, '--write')
    const [joke] = await service.jokes({ searchString: 'service working' })
    expect([code, joke?.thumbsUp]).toEqual([0, 1])
    const how = `To remove the joke: npm run remove -- ${joke?.id} --stack NAME; for npm start, --local instead.\n`
    expect(stdout).toContain(`It finds the new joke by its words.\nIt counts an upvote.\n${how}`)
    service.store.approval = true
    const waiting = await runHere('smoke', service.url, '--write')
    service.store.approval = false
    expect(waiting).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/waits for approval\.\nTo remove the joke: /),
    })
  })

  it('notices an upvote that is not counted', async () => {
    const { fetch } = globalThis
    const uncounted = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      const response = await fetch(...request)
      return new Response((await response.text()).replace('"thumbsUp":1', '"thumbsUp":0'), response)
    })
    const { code, stderr } = await runHere('smoke', service.url, '--write')
    uncounted.mockRestore()
    expect([code, stderr]).toEqual([1, 'After one upvote, the joke has 0.\n'])
  })
})

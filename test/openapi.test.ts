import { createConfig, lint } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { openApi } from '../infra/openapi.ts'
import document from '../openapi.json' with { type: 'json' }

it('openapi.json matches the code (if not: npm run openapi)', () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(openApi())))
})

it('openapi.json passes the strictest lint rules', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lint({ ref: 'openapi.json', config })
  expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([])
})

it('openapi.json has no defaults, which generated clients would send', () => {
  expect(JSON.stringify(document)).not.toContain('"default":')
})

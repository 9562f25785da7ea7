/** `npm run test:aws` refuses some stages. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

it.each([
  ['', /^Name a new stage/],
  ['prod', /^Name a new stage/],
  ['there', /^JokeService-there exists\. .+: npx cdk destroy Page\/JokeService-there -c stage=there; npx cdk destroy /],
])('npm run test:aws refuses the stage "%s"', async (stage, message) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const PATH = temporaryFolder()
  writeFileSync(join(PATH, 'aws'), '#!/bin/sh\necho CREATE_COMPLETE\n', { mode: 0o755 })
  for (const [name, value] of Object.entries({ STAGE: stage, AWS_REGION: 'eu-west-1', PATH })) vi.stubEnv(name, value)
  const { default: setUp } = await import(/* @vite-ignore */ `../aws/stage.ts?${stage}`)
  await expect(setUp({})).rejects.toThrow(message)
})

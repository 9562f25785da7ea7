/**
 * `npm run test:loop` runs all tests 20 times while every core is busy, and stops at the first failure. It finds tests
 * that depend on the speed of the machine.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

const [runs = '20', ...options] = process.argv.slice(2)

for (let core = 0; core < availableParallelism(); core++) new Worker('for (;;);', { eval: true })
for (let run = 1; run <= Number(runs); run++) {
  console.log(`Run ${run} of ${runs}`)
  const { status } = spawnSync('vitest', ['run', '--reporter=dot', ...options], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
process.exit()

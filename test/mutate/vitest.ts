/** Vitest's configuration for mutation tests. */
import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from '../support/dynoxide.ts'

/**
 * For each group of mutated files, its unit tests, and then tests of the service. The first failure ends a run, so the
 * quickest come first. All must load the mutated code into their own process: a child process does not know which mutant
 * is active.
 */
const TESTS: Record<string, string[]> = {
  shared: [
    'test/{atOnce,causes,http,log,openapi,send,words}.test.ts',
    'test/input/{accept,invalid,unusual}.test.ts',
    'test/*/{create,damage,list,random,removal,thumbsUp}.test.ts',
    'test/input/fuzz.test.ts',
  ],
  reading: [
    'test/{evenness,item,reads,sources,wordLists}.test.ts',
    'test/listing/wordLists.test.ts',
    'test/cost/plan.test.ts',
    'test/*/{damage,drills,list,random,removal}.test.ts',
    'test/cost/{capacity,largestJokes}.test.ts',
    'test/listing/properties.test.ts',
  ],
  writing: [
    'test/{batches,connection,upkeep}.test.ts',
    'test/*/{create,damage,removal,thumbsUp}.test.ts',
    'test/operators/drills.test.ts',
    'test/service/versions.test.ts',
    'test/faults/interruptions.test.ts',
    'test/faults/faults.test.ts',
  ],
  tools: [
    'test/{commandLine,jokeFile,send}.test.ts',
    'test/clients/{collection,commands}.test.ts',
    'test/operators/{drills,probe}.test.ts',
  ],
}

const engine = isDynoxideInstalled ? 'dynoxide' : 'dynalite'
const defaults = { isolate: false, testTimeout: 60_000, hookTimeout: 60_000 }
const projects = TESTS[process.env.GROUP ?? '']
  ?.filter((files) => isDynoxideInstalled || !/^test\/(cost|faults)/.test(files))
  .map((files, index) => {
    const own = index === 0 ? { isolate: true } : { globalSetup: `test/support/${engine}.ts` }
    return { ...defaults, ...own, name: `${engine} ${index}`, include: [files], sequence: { groupOrder: index + 1 } }
  })
if (!projects) throw new Error(`GROUP must be one of ${Object.keys(TESTS).join(', ')}.`)
// Of tests that run at the same time, Stryker could not tell which one runs a mutant.
export default defineConfig({ test: { maxConcurrency: 1, projects: projects.map((test) => ({ test })) } })

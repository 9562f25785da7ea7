/**
 * Stryker's configuration. `GROUP` chooses what is mutated, and how many of the mutants, in per cent, must be noticed.
 * `vitest.ts` has the tests of each group.
 */
const GROUPS = {
  shared: { mutate: ['shared/*.ts', '!shared/problem.ts', 'functions/*.ts'], atLeast: 97 },
  reading: { mutate: ['shared/store/{item,order,reads,search,shelves,sources,wordLists}.ts'], atLeast: 98 },
  writing: { mutate: ['shared/store/{batches,connection,hold,jokes,removal,upkeep}.ts'], atLeast: 94 },
  // Commands and page read problem documents. What `locate` finds is tested in bundles.
  tools: { mutate: ['tools/*.ts', '!tools/locate.ts', 'probe/*.ts', 'shared/problem.ts'], atLeast: 90 },
}
const { GROUP } = process.env
const { mutate, atLeast } = GROUPS[GROUP]

export default {
  mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutate/vitest.ts', related: false },
  tsconfigFile: 'none',
  concurrency: 2,
  reporters: ['clear-text', 'html', 'json'],
  htmlReporter: { fileName: `reports/mutation/${GROUP}.html` },
  jsonReporter: { fileName: `reports/mutation/${GROUP}.json` },
  thresholds: { break: atLeast },
}

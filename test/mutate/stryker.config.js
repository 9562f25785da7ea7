/** Stryker's configuration. `GROUP` chooses what is mutated; `vitest.ts` has the tests of each group. */
const MUTATED = {
  shared: ['shared/*.ts', '!shared/problem.ts', 'functions/*.ts'],
  reading: ['shared/store/{item,order,reads,search,shelves,sources,wordLists}.ts'],
  writing: ['shared/store/{batches,connection,hold,jokes,removal,upkeep}.ts'],
  // Commands and page read problem documents.
  tools: ['tools/*.ts', 'probe/*.ts', 'shared/problem.ts'],
}
const { GROUP } = process.env

export default {
  mutate: MUTATED[GROUP],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutate/vitest.ts', related: false },
  tsconfigFile: 'none',
  concurrency: 2,
  reporters: ['clear-text', 'html', 'json'],
  htmlReporter: { fileName: `reports/mutation/${GROUP}.html` },
  jsonReporter: { fileName: `reports/mutation/${GROUP}.json` },
  thresholds: { break: 93 },
}

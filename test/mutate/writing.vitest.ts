import { projects } from './projects.ts'

export default projects(
  ['test/{batches,database,upkeep}.test.ts'],
  'test/*/{create,damage,removal,thumbsUp}.test.ts',
  'test/dynoxide/concurrency.test.ts',
  'test/dynalite/drills.test.ts',
  'test/dynoxide/faults.test.ts',
)

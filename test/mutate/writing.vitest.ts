import { projects } from './projects.ts'

export default projects(
  ['test/{batches,connection}.test.ts'],
  'test/*/{create,damage,removal,thumbsUp}.test.ts',
  'test/dynoxide/concurrency.test.ts',
  'test/dynalite/drills.test.ts',
  'test/service/versions.test.ts',
  'test/dynoxide/interruptions.test.ts',
  'test/dynoxide/faults.test.ts',
)

import { projects } from './projects.ts'

export default projects(
  ['test/{batches,connection,upkeep}.test.ts'],
  'test/*/{create,damage,removal,thumbsUp}.test.ts',
  'test/faults/concurrency.test.ts',
  'test/operators/drills.test.ts',
  'test/service/versions.test.ts',
  'test/faults/interruptions.test.ts',
  'test/faults/faults.test.ts',
)

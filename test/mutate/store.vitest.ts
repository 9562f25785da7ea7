import { projects } from './projects.ts'

export default projects(
  ['test/merge.test.ts'],
  [
    'test/service/*.test.ts',
    'test/dynalite/{drills,hostile}.test.ts',
    'test/dynoxide/{capacity,changingWords,faults}.test.ts',
  ],
)

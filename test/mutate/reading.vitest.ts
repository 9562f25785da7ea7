import { projects } from './projects.ts'

export default projects(
  ['test/{item,merge,reads,wordIndex}.test.ts'],
  [
    'test/service/{damage,list,properties,random,removal}.test.ts',
    'test/dynoxide/{capacity,changingWords,plan}.test.ts',
  ],
)

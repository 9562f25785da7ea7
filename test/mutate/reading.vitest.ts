import { projects } from './projects.ts'

export default projects(
  ['test/merge.test.ts'],
  ['test/service/{damage,list,properties,random,removal}.test.ts', 'test/dynoxide/{capacity,changingWords}.test.ts'],
)

import { projects } from './projects.ts'

export default projects(
  ['test/{evenness,item,reads,sources,wordLists}.test.ts'],
  'test/dynoxide/plan.test.ts',
  'test/*/{damage,list,random,removal}.test.ts',
  'test/dynoxide/{capacity,changingWords}.test.ts',
  'test/dynalite/properties.test.ts',
)

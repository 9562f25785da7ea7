import { projects } from './projects.ts'

export default projects(
  ['test/{evenness,item,reads,sources,wordLists}.test.ts'],
  'test/listing/wordLists.test.ts',
  'test/cost/plan.test.ts',
  'test/*/{damage,drills,list,random,removal}.test.ts',
  'test/cost/capacity.test.ts',
  'test/service/changingWords.test.ts',
  'test/listing/properties.test.ts',
)

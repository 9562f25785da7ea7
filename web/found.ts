/** Says which texts a search finds, by the rules of the service. */
import { isFoundIn, needlesOf, searchTextOf } from '../shared/searchText.ts'

/** Whether a text has every word of a search. An empty search finds all texts. */
export function isFound(search: string, text: string): boolean {
  return search === '' || isFoundIn(searchTextOf({ joke: text }), needlesOf(search))
}

/** GET /joke */
import { http, queryOf } from '../shared/http/requests.ts'
import { respondList } from '../shared/http/responses.ts'
import { parseListing, REPEATABLE } from '../shared/listing.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { type Store, storeOfEnvironment } from '../shared/store/store.ts'

export const list = (getStore: () => Store) =>
  http().handler(async (event) => {
    const listing = parseListing(queryOf(event, REPEATABLE))
    const page = await listJokes(getStore(), listing)
    return respondList(event, listing, page)
  })

export const handler = list(storeOfEnvironment)

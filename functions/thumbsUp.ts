/** POST /thumbsUp/{id} */
import { http } from '../shared/http/requests.ts'
import { respond } from '../shared/http/responses.ts'
import { thumbsUpJoke } from '../shared/store/jokes.ts'
import { type Store, storeOfEnvironment } from '../shared/store/store.ts'

export const thumbsUp = (getStore: () => Store) =>
  http().handler(async ({ pathParameters }) => {
    const joke = await thumbsUpJoke(getStore(), pathParameters?.id ?? '')
    return respond(200, joke)
  })

export const handler = thumbsUp(storeOfEnvironment)

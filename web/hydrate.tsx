/** Brings the page to life, which shows its frame already. */
import { hydrate } from 'preact'
import { followView } from './collection.ts'
import { changeSoon, followAddress } from './navigation.ts'
import { Page } from './page.tsx'
import { recallUpvotes } from './upvotes.ts'

const root = document.getElementById('page')
if (root) {
  const typedBefore = root.querySelector<HTMLInputElement>('#search')?.value
  hydrate(<Page />, root)
  recallUpvotes()
  followAddress()
  followView()
  if (typedBefore) changeSoon('search', typedBefore)
}

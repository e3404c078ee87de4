/** The store of a file of tests. Children of benches use the other fixtures, without the test runner. */
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { openTestStore, type TestStore } from './store.fixture.ts'

export const sharedStore = (): TestStore => opened(openTestStore)

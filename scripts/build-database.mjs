// Creates the database that a new data folder gets, in server/new-database, when the schema has changed since the last time:
// creating it takes as long as three starts.
import { join } from 'node:path'
import { buildIfChanged, filesBelow, root } from './build-if-changed.mjs'

const single = ['package-lock.json', 'scripts/create-database.ts', 'server/src/platform/db/embedded.ts']

const isBuilt = await buildIfChanged({
  name: 'database',
  dist: join(root, 'server/new-database'),
  sources: [...filesBelow('server/src/platform/db/migrations'), ...single.map((name) => join(root, name))],
  // Optimizing the WebAssembly of the database takes a third of the CPU time.
  argsFor: (folder) => ['node', '--liftoff-only', '--no-wasm-inlining', 'scripts/create-database.ts', folder],
})
if (!isBuilt) process.exit(1)

// Bundles the server into server/dist when its sources have changed since the last time: a start then reads 130 files instead of 2,500.
import { join } from 'node:path'
import { buildIfChanged, filesBelow, root } from './build-if-changed.mjs'

const single = ['package.json', 'package-lock.json', 'scripts/bundle-server.mjs']

const isBuilt = await buildIfChanged({
  name: 'server',
  dist: join(root, 'server/dist'),
  sources: [...filesBelow('server/src').filter((path) => !path.endsWith('.test.ts')), ...single.map((name) => join(root, name))],
  argsFor: (folder) => ['node', 'scripts/bundle-server.mjs', folder],
})
if (!isBuilt) process.exit(1)

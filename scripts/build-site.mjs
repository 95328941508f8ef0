// Builds the documents into site/dist when they have changed since the last time. The server starts also without them.
import { join } from 'node:path'
import { buildIfChanged, filesBelow, root } from './build-if-changed.mjs'

const files = [
  'package-lock.json',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'SUPPORT.md',
  'bench/README.md',
  'site/navigation.ts',
]
const folders = ['docs', 'examples', 'site/.vitepress', 'site/api', 'site/markdown', 'site/build']

await buildIfChanged({
  name: 'documents',
  dist: join(root, 'site/dist'),
  sources: [
    // The site does not contain the coverage page (site/.vitepress/config.ts), and its build writes the pages of docs/api.
    ...folders.flatMap(filesBelow).filter((path) => !/\/cache\/|coverage\.md$|\/docs\/api\/[\w-]+\.md$/.test(path)),
    ...files.map((name) => join(root, name)),
  ],
  argsFor: (folder) => ['node', 'site/build/build.ts', folder],
})

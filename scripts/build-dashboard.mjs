// Builds the dashboard into dashboard/dist when its sources have changed since the last time.
import { join } from 'node:path'
import { buildIfChanged, filesBelow, root } from './build-if-changed.mjs'

const dashboard = join(root, 'dashboard')
const scripts = ['scripts/compress-assets.ts']
const shared = [
  '../package-lock.json',
  ...['client-snippets', 'request-outcome'].map((name) => `../server/src/shared/${name}.ts`),
]
const single = ['index.html', 'vite.config.ts', 'package.json', ...scripts, ...shared]

const isBuilt = await buildIfChanged({
  name: 'dashboard',
  dist: join(dashboard, 'dist'),
  // Types are not part of the build.
  sources: [...filesBelow('dashboard/src'), ...single.map((name) => join(dashboard, name))].filter(
    (path) => !path.endsWith('.d.ts'),
  ),
  argsFor: (folder) => ['vite', 'build', dashboard, '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
})
if (!isBuilt) process.exit(1)

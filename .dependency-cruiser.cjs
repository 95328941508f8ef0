/** The import rules of docs/architecture.md: what a folder may import is listed, the rest is forbidden. */
const CAPABILITIES = [
  'applications',
  'limits',
  'classification',
  'policy',
  'knowledge',
  'memory',
  'providers',
  'review',
  'audit',
  'operators',
  'telemetry',
]
/** What knowledge and memory stand on. */
const RETRIEVAL = 'retrieval/'
const EACH_CAPABILITY = [...CAPABILITIES.map((folder) => `${folder}/`), RETRIEVAL]
const baseOf = (folder) => (folder === 'knowledge' || folder === 'memory' ? [RETRIEVAL] : [])
const WORDS = ['lib', 'domain', 'errors\\.ts']

const only = (name, from, allowed, more = {}) => ({
  name,
  severity: 'error',
  from: { path: `^server/src/${from}`, pathNot: '\\.test\\.ts$', ...more },
  to: { path: '^server/src/', pathNot: allowed.map((folder) => `^server/src/${folder}`) },
})

/** As `only`, in the dashboard. A feature is a folder that knows no other feature. */
const onlyInDashboard = (name, from, allowed) => ({
  name: `dashboard-${name}`,
  severity: 'error',
  from: { path: `^dashboard/src/${from}` },
  to: { path: '^(dashboard/src|server|bench)/', pathNot: allowed.map((folder) => `^dashboard/src/${folder}`) },
})

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    only('lib-imports-nothing-of-ours', 'lib/', ['lib/']),
    only('domain', 'domain/', ['domain/', 'lib/']),
    only('config', 'config/', ['config/', 'domain/', 'lib/', 'errors\\.ts']),
    only('db', 'db/', ['db/', 'domain/', 'lib/']),
    only('retrieval', RETRIEVAL, [RETRIEVAL, 'db/', ...WORDS]),
    only('http-translates', 'http/', ['http/', ...WORDS]),
    ...CAPABILITIES.map((folder) =>
      only(`${folder}-never-another-capability`, `${folder}/`, [`${folder}/`, ...baseOf(folder), 'db/', ...WORDS], {
        pathNot: '(\\.test|-routes)\\.ts$',
      }),
    ),
    ...CAPABILITIES.map((folder) =>
      only(`${folder}-routes`, `${folder}/.*-routes\\.ts$`, [`${folder}/`, 'db/', 'http/', ...WORDS]),
    ),
    only('a-stage-knows-capabilities-not-stages', 'pipeline/stages/', [
      ...EACH_CAPABILITY,
      'db/(database|signal)\\.ts',
      'pipeline/[^/]*\\.ts$',
      ...WORDS,
    ]),
    only('pipeline', 'pipeline/[^/]*\\.ts$', ['pipeline/', ...EACH_CAPABILITY, 'db/(database|signal)\\.ts', ...WORDS]),
    only('gateway', 'gateway/', ['gateway/', 'pipeline/', 'http/', ...EACH_CAPABILITY, ...WORDS]),
    only('messaging', 'messaging/', ['messaging/', 'pipeline/', 'gateway/', 'http/', ...EACH_CAPABILITY, 'db/', ...WORDS]),
    only('admin', 'admin/', [
      'admin/',
      'messaging/',
      'pipeline/',
      'gateway/(chat-request|answers)\\.ts',
      'http/',
      ...EACH_CAPABILITY,
      'db/',
      'version\\.ts',
      ...WORDS,
    ]),
    {
      name: 'of-the-database-only-types',
      severity: 'error',
      from: {
        path: `^server/src/(${[...CAPABILITIES, 'pipeline', 'gateway', 'admin', 'jobs'].join('|')})/`,
        pathNot: '\\.test\\.ts$',
      },
      // … and the files of helpers that stores need.
      to: {
        path: '^server/src/db/',
        pathNot: '^server/src/db/(page|values|long-statements|deferred-indexes)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    only('dashboard', 'dashboard/', ['dashboard/', 'errors\\.ts']),
    only('jobs', 'jobs/', ['jobs/', 'messaging/', ...EACH_CAPABILITY, 'db/', ...WORDS]),
    only('setup', 'setup/', ['setup/', 'messaging/', 'config/', ...EACH_CAPABILITY, 'db/', ...WORDS]),
    only('cli', 'cli/', ['cli/', 'messaging/', 'setup/', 'config/', ...EACH_CAPABILITY, 'db/', '(serve|version)\\.ts', ...WORDS]),
    {
      name: 'no-http-framework-in-the-core',
      severity: 'error',
      from: {
        path: '^server/src/(domain|lib|pipeline|policy|review|audit|classification|providers|limits)/',
        pathNot: '-routes\\.ts$',
      },
      to: { path: 'node_modules/fastify' },
    },
    onlyInDashboard('api', 'api/', ['api/']),
    onlyInDashboard('ui-has-no-data', 'ui/', ['ui/']),
    onlyInDashboard('routing', 'routing/', ['(api|routing)/']),
    onlyInDashboard('feature-never-another-feature', 'features/([^/]+)/', ['(api|ui|routing)/', 'features/$1/']),
    onlyInDashboard('app', 'app/', ['(api|ui|routing|app)/', 'features/[^/]+/feature\\.ts$']),
    {
      name: 'tests-stay-out',
      severity: 'error',
      from: { path: '^server/src', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/test' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}

/** The import rules of docs/architecture.md: what a folder may import is listed, the rest is forbidden. */
const DOMAINS =
  'identity limits classification policy knowledge memory providers review responses audit budgets operators views'.split(' ')
const domain = (folder) => `domains/${folder}/`
/** Search, which knowledge and memory share. */
const RETRIEVAL = domain('retrieval')
/** With telemetry, which each may report to. */
const EACH_DOMAIN = [...DOMAINS.map(domain), RETRIEVAL, 'platform/telemetry/']
const BASES = { knowledge: [RETRIEVAL], memory: [RETRIEVAL], providers: ['dialects/'] }
const baseOf = (folder) => BASES[folder] ?? []
const LIB = 'platform/lib/'
const DB = 'platform/db/'
const WORDS = [LIB, 'shared/', 'errors\\.ts']
const CONFIG = 'platform/config/'
const KIT = 'api/kit/'
const RETURNS_REFUSALS = '-store\\.ts$|^server/src/domains/messaging/'
/** Authentication of operators, scopes, recorded changes. */
const ADMIN_KIT = 'api/admin/kit/'
/** The mechanism of background queues (wake-ups, leases, retry delays), and the outbox: stores announce a change in its transaction. */
const QUEUE = 'platform/queue/'

/** Each folder of `domains/messaging/`, and the folders and files of it that the folder may import. */
const MESSAGING_LAYERS = [
  ['people', 'events/', 'governance/', 'idempotency/'],
  ['idempotency', 'people/member\\.ts'],
  ['events', 'people/member\\.ts'],
  ['governance', 'events/', 'people/member\\.ts'],
  ['conversations', 'people/', 'events/', 'idempotency/'],
  ['groups', 'conversations/', 'people/', 'governance/', 'events/', 'idempotency/'],
  ['attachments', 'events/', 'people/member\\.ts'],
  // Sending a message enqueues the turn of an assistant in the same transaction.
  ['messages', '(?!assistants|retention|groups)', 'assistants/enqueue-turn\\.ts'],
  ['assistants', '(?!retention|groups)'],
  ['retention', ''],
]

const only = (name, from, allowed, { pathNot = '\\.test\\.ts$' } = {}) => ({
  name,
  severity: 'error',
  from: { path: `^server/src/${from}`, pathNot },
  to: { path: '^server/src/', pathNot: allowed.map((folder) => `^server/src/${folder}`) },
})

/** Only these files may import `to`; types are free. */
const onlyBy = (name, to, importers) => ({
  name,
  severity: 'error',
  from: { path: '^server/src/', pathNot: ['\\.test\\.ts$', ...importers.map((file) => `^server/src/${file}$`)] },
  to: { path: `^server/src/${to}`, dependencyTypesNot: ['type-only'] },
})

/** As `only`, in the dashboard. A feature is a folder that knows no other feature. `fromServer`: the files of the server that it may import. */
const onlyInDashboard = (name, from, allowed, fromServer = []) => ({
  name: `dashboard-${name}`,
  severity: 'error',
  from: { path: `^dashboard/src/${from}` },
  to: {
    path: '^(dashboard/src|server|bench)/',
    pathNot: [...allowed.map((folder) => `^dashboard/src/${folder}`), ...fromServer.map((file) => `^server/src/${file}`)],
  },
})

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    only('lib-imports-nothing-of-ours', LIB, [LIB]),
    only('shared', 'shared/', WORDS),
    only('config', CONFIG, [CONFIG, ...WORDS]),
    only('db', DB, [DB, 'shared/', LIB]),
    only('queue', QUEUE, [QUEUE, DB, ...WORDS]),
    only('telemetry', 'platform/telemetry/', ['platform/telemetry/', DB, ...WORDS]),
    only('retrieval', RETRIEVAL, [RETRIEVAL, QUEUE, DB, ...WORDS]),
    // Reads events from their log, and never the code of the messaging API.
    only('notifications', domain('notifications'), [
      domain('notifications'),
      QUEUE,
      domain('identity'),
      domain('operators'),
      domain('review'),
      DB,
      ...WORDS,
    ]),
    only('http-translates', KIT, [KIT, 'platform/db/page\\.ts', ...WORDS]),
    ...DOMAINS.map((folder) =>
      only(`${folder}-never-another-domain`, domain(folder), [domain(folder), ...baseOf(folder), QUEUE, DB, ...WORDS]),
    ),
    only('a-stage-knows-capabilities-not-stages', 'pipeline/stages/', [
      ...EACH_DOMAIN,
      'platform/db/(database|signal)\\.ts',
      'pipeline/[^/]*\\.ts$',
      ...WORDS,
    ]),
    only('pipeline', 'pipeline/[^/]*\\.ts$', ['pipeline/', ...EACH_DOMAIN, 'platform/db/(database|signal)\\.ts', ...WORDS]),
    only('dialects-translate', 'dialects/', ['dialects/', ...WORDS]),
    only('gateway', 'api/gateway/', [
      'api/gateway/',
      'dialects/',
      'pipeline/',
      KIT,
      'platform/db/(database|reads|signal)\\.ts',
      ...EACH_DOMAIN,
      ...WORDS,
    ]),
    only('messaging', domain('messaging'), [
      QUEUE,
      `${domain('notifications')}[^/]*\\.ts$`,
      domain('messaging'),
      'pipeline/',
      ...EACH_DOMAIN,
      DB,
      ...WORDS,
    ]),
    only('messaging-routes', 'api/messaging/', [
      'api/messaging/',
      domain('messaging'),
      'pipeline/',
      KIT,
      ...EACH_DOMAIN,
      DB,
      ...WORDS,
    ]),
    ...MESSAGING_LAYERS.map(([folder, ...allowed]) => ({
      name: `messaging-${folder}`,
      severity: 'error',
      from: { path: `^server/src/domains/messaging/${folder}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^server/src/domains/messaging/',
        pathNot: [`${folder}/`, 'tables\\.ts', 'timestamps\\.ts', ...allowed].map(
          (path) => `^server/src/domains/messaging/${path}`,
        ),
      },
    })),
    only('admin-kit', ADMIN_KIT, [ADMIN_KIT, domain('operators'), domain('audit'), domain('identity'), KIT, DB, ...WORDS]),
    only('admin', 'api/admin/', [
      'api/admin/',
      domain('messaging'),
      domain('notifications'),
      domain('keys'),
      'pipeline/',
      'dialects/',
      'api/gateway/',
      'tools/demo/removal/',
      KIT,
      ...EACH_DOMAIN,
      QUEUE,
      DB,
      'version\\.ts',
      ...WORDS,
    ]),
    // Content reaches a provider through the pipeline only, so no route can forget a policy. `memory-candidates` is a part of stage 11.
    // The connection test sends a constant text.
    onlyBy('content-reaches-a-provider-by-the-pipeline', 'domains/providers/(invoke|(chat|embeddings)-operation)\\.ts$', [
      'pipeline/stages/09-invoke\\.ts',
      'pipeline/memory-candidates\\.ts',
      'domains/providers/test-connection\\.ts',
    ]),
    // Discovery sends no content.
    onlyBy('a-request-to-a-provider', 'domains/providers/send-to-provider\\.ts$', [
      'domains/providers/((chat|embeddings)-operation|discover-models)\\.ts',
    ]),
    {
      from: { path: RETURNS_REFUSALS, pathNot: '\\.test\\.|/(message-records|erase-responses)\\.ts$' },
      to: { path: '^server/src/(errors\\.ts|shared/request-errors\\.ts|api/kit/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'of-the-database-only-types',
      severity: 'error',
      from: {
        path: `^server/src/(${[...DOMAINS.map((folder) => `domains/${folder}`), 'pipeline', 'api/gateway', 'api/admin/(?!demo)', 'domains/jobs'].join('|')})/`,
        pathNot: '\\.test\\.ts$',
      },
      // … and the files of helpers that stores need.
      to: {
        path: '^server/src/platform/db/',
        pathNot:
          '^server/src/platform/db/(page|values|from-row|snapshot|long-statements|partitions/(partition-job|list-partitions|months))\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    // Everything that the secret key seals.
    only('keys', domain('keys'), [
      domain('keys'),
      domain('knowledge'),
      domain('providers'),
      domain('responses'),
      domain('review'),
      domain('operators'),
      DB,
      ...WORDS,
    ]),
    // Export, import, and copies of the embedded database.
    only('backup', 'tools/backup/', [
      'tools/backup/',
      domain('keys'),
      domain('operators'),
      RETRIEVAL,
      `${domain('messaging')}attachments/`,
      DB,
      'version\\.ts',
      ...WORDS,
    ]),
    only('dashboard', 'api/dashboard/', ['api/dashboard/', 'errors\\.ts']),
    only('jobs', domain('jobs'), [
      domain('jobs'),
      domain('keys'),
      domain('messaging'),
      domain('notifications'),
      QUEUE,
      ...EACH_DOMAIN,
      DB,
      ...WORDS,
    ]),
    only('ingestion', 'tools/ingestion/', ['tools/ingestion/', 'tools/setup/', CONFIG, ...EACH_DOMAIN, DB, ...WORDS]),
    only('demo', 'tools/demo/', [
      'tools/demo/',
      'tools/setup/',
      'tools/ingestion/',
      domain('messaging'),
      CONFIG,
      'tools/backup/exported-tables\\.ts',
      ...EACH_DOMAIN,
      DB,
      ...WORDS,
    ]),
    // The history of the demo is made by the real pipeline.
    only('demo-history', 'tools/demo-history/', [
      'tools/demo-history/',
      'tools/demo/',
      ADMIN_KIT,
      'api/gateway/',
      'dialects/',
      'pipeline/',
      ...EACH_DOMAIN,
      DB,
      ...WORDS,
    ]),
    only('setup', 'tools/setup/', ['tools/setup/', domain('messaging'), CONFIG, ...EACH_DOMAIN, DB, ...WORDS]),
    only('start', 'tools/start/', [
      'tools/(start|setup|demo|ingestion)/',
      domain('messaging'),
      CONFIG,
      ...EACH_DOMAIN,
      DB,
      ...WORDS,
    ]),
    only('processes', 'platform/processes/', ['platform/processes/', 'platform/telemetry/', CONFIG, ...WORDS]),
    only('cli', 'tools/cli/', [
      'tools/',
      domain('keys'),
      domain('messaging'),
      CONFIG,
      ...EACH_DOMAIN,
      'platform/processes/',
      DB,
      '(serve|version|context-options)\\.ts',
      ...WORDS,
    ]),
    {
      name: 'no-http-framework-in-the-core',
      severity: 'error',
      from: {
        path: '^server/src/(shared|platform/lib|pipeline|dialects|domains)/',
      },
      to: { path: 'node_modules/fastify' },
    },
    onlyInDashboard('api', 'api/', ['api/']),
    onlyInDashboard('ui-has-no-data', 'ui/', ['ui/'], ['shared/request-outcome\\.ts$']),
    onlyInDashboard('views', 'views/', ['(api|ui|routing|views)/'], ['shared/request-outcome\\.ts$']),
    onlyInDashboard('routing', 'routing/', ['(api|routing|texts)/']),
    onlyInDashboard(
      'feature-never-another-feature',
      'features/([^/]+)/',
      ['(api|ui|routing|views)/', 'features/$1/'],
      // The texts that the command line prints too, and the outcomes by which the server filters.
      ['shared/(client-snippets|request-outcome)\\.ts$'],
    ),
    onlyInDashboard('app', 'app/', ['(api|ui|routing|views|app|texts)/', 'features/[^/]+/feature\\.ts$']),
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
    exclude: { path: '^server/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}

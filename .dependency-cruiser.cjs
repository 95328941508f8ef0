/** The import rules of docs/architecture.md: what a folder may import is listed, the rest is forbidden. */
const DOMAINS = [
  'identity',
  'limits',
  'classification',
  'policy',
  'knowledge',
  'memory',
  'providers',
  'review',
  'responses',
  'audit',
  'budgets',
  'operators',
  'telemetry',
]
/** Search, which knowledge and memory share. */
const RETRIEVAL = 'retrieval/'
const EACH_DOMAIN = [...DOMAINS.map((folder) => `${folder}/`), RETRIEVAL]
const BASES = { knowledge: [RETRIEVAL], memory: [RETRIEVAL], providers: ['dialects/'] }
const baseOf = (folder) => BASES[folder] ?? []
const WORDS = ['lib', 'domain', 'errors\\.ts']
/** The mechanism of background queues: wake-ups, leases, retry delays. */
const QUEUE = 'jobs/queue/'
/** The outbox: stores announce a change in its transaction. */
const OUTBOX = 'outbox/'

/** Each folder of the messaging API, and the folders and files of it that the folder may import. */
const MESSAGING_LAYERS = [
  ['api'],
  ['events', 'api/'],
  ['governance', 'events/', 'api/'],
  ['people', 'governance/', 'events/', 'api/'],
  ['conversations', 'people/', 'events/', 'api/'],
  ['groups', 'conversations/', 'people/', 'governance/', 'events/', 'api/'],
  ['attachments', 'events/', 'api/'],
  // Sending a message enqueues the turn of an assistant in the same transaction.
  ['messages', 'attachments/', 'conversations/', 'people/', 'governance/', 'events/', 'api/', 'assistants/enqueue-turn\\.ts'],
  ['assistants', 'messages/', 'conversations/', 'people/', 'governance/', 'events/', 'api/'],
  ['retention', 'messages/', 'groups/', 'conversations/', 'people/', 'events/', 'api/'],
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
    only('lib-imports-nothing-of-ours', 'lib/', ['lib/']),
    only('domain', 'domain/', ['domain/', 'lib/', 'errors\\.ts']),
    only('config', 'config/', ['config/', 'domain/', 'lib/', 'errors\\.ts']),
    only('db', 'db/', ['db/', 'domain/', 'lib/']),
    only('retrieval', RETRIEVAL, [RETRIEVAL, QUEUE, 'db/', ...WORDS]),
    only('outbox', OUTBOX, [OUTBOX, 'db/', ...WORDS]),
    // Reads events from their log, and never the code of the messaging API.
    only('notifications', 'notifications/', [
      'notifications/',
      QUEUE,
      'admin/kit/',
      'identity/',
      'operators/',
      'review/',
      'http/',
      'db/',
      ...WORDS,
    ]),
    only('http-translates', 'http/', ['http/', 'db/page\\.ts', ...WORDS]),
    ...DOMAINS.map((folder) =>
      only(`${folder}-never-another-domain`, `${folder}/`, [`${folder}/`, ...baseOf(folder), QUEUE, OUTBOX, 'db/', ...WORDS], {
        pathNot: `(\\.test|-routes)\\.ts$|^server/src/${folder}/admin/`,
      }),
    ),
    ...DOMAINS.map((folder) =>
      only(`${folder}-routes`, `${folder}/.*-routes\\.ts$`, [`${folder}/`, 'db/', 'http/', ...WORDS], {
        pathNot: `^server/src/${folder}/admin/`,
      }),
    ),
    // The operators' API of a domain; the kit authenticates, checks scopes and records changes.
    ...DOMAINS.map((folder) =>
      only(
        `${folder}-admin`,
        `${folder}/admin/`,
        [`${folder}/`, ...baseOf(folder), 'admin/kit/', 'operators/', 'db/', 'http/', 'version\\.ts', ...WORDS],
        {
          pathNot: '\\.test\\.ts$',
        },
      ),
    ),
    only('a-stage-knows-capabilities-not-stages', 'pipeline/stages/', [
      ...EACH_DOMAIN,
      'db/(database|signal)\\.ts',
      'pipeline/[^/]*\\.ts$',
      ...WORDS,
    ]),
    only('pipeline', 'pipeline/[^/]*\\.ts$', ['pipeline/', ...EACH_DOMAIN, 'db/(database|signal)\\.ts', ...WORDS]),
    only('dialects-translate', 'dialects/', ['dialects/', ...WORDS]),
    only('gateway', 'gateway/', [
      'gateway/',
      'dialects/',
      'pipeline/',
      'admin/kit/',
      'http/',
      'db/(database|reads|signal)\\.ts',
      ...EACH_DOMAIN,
      ...WORDS,
    ]),
    only('messaging', 'messaging/', [
      QUEUE,
      OUTBOX,
      'notifications/[^/]*\\.ts$',
      'messaging/',
      'pipeline/',
      'gateway/',
      'admin/kit/',
      'http/',
      ...EACH_DOMAIN,
      'db/',
      ...WORDS,
    ]),
    ...MESSAGING_LAYERS.map(([folder, ...allowed]) => ({
      name: `messaging-${folder}`,
      severity: 'error',
      from: { path: `^server/src/messaging/${folder}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^server/src/messaging/[^/]+/',
        pathNot: [folder, ...allowed].map((path) => `^server/src/messaging/${path}`),
      },
    })),
    only('admin-kit', 'admin/kit/', ['admin/kit/', 'operators/', 'audit/', 'identity/', 'http/', 'db/', ...WORDS]),
    only('admin', 'admin/', [
      'admin/',
      'messaging/',
      'notifications/',
      'pipeline/',
      'gateway/',
      'keys/',
      'demo/admin/',
      'http/',
      ...EACH_DOMAIN,
      'db/',
      'version\\.ts',
      ...WORDS,
    ]),
    // Content reaches a provider through the pipeline only, so no route can forget a policy. `memory-candidates` is a part of stage 11.
    onlyBy('content-reaches-a-provider-by-the-pipeline', 'providers/(invoke|operation)\\.ts$', [
      'pipeline/stages/09-invoke\\.ts',
      'pipeline/memory-candidates\\.ts',
      'providers/invoke\\.ts',
    ]),
    onlyBy('a-chat-or-an-embedding-is-sent-by-invoke', 'providers/(request-completion|embeddings-adapter)\\.ts$', [
      'providers/(operation|embeddings-adapter|stub-embeddings)\\.ts',
    ]),
    // Discovery and the connection test send no content.
    onlyBy('a-request-to-a-provider', 'providers/send-to-provider\\.ts$', [
      'providers/(request-completion|discover-models|test-connection)\\.ts',
    ]),
    {
      name: 'a-store-throws-no-http-error',
      severity: 'error',
      from: { path: '-store\\.ts$' },
      to: { path: '^server/src/(errors\\.ts|http/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'of-the-database-only-types',
      severity: 'error',
      from: {
        path: `^server/src/(${[...DOMAINS, 'pipeline', 'gateway', 'admin', 'jobs'].join('|')})/`,
        pathNot: '\\.test\\.ts$',
      },
      // … and the files of helpers that stores need.
      to: {
        path: '^server/src/db/',
        pathNot: '^server/src/db/(page|values|snapshot|long-statements|partitions/(partition-job|list-partitions|months))\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    // Everything that the secret key seals.
    only('keys', 'keys/', ['keys/', 'admin/kit/', 'http/', 'providers/', 'responses/', 'review/', 'operators/', 'db/', ...WORDS]),
    // Export, import, and copies of the embedded database.
    only('backup', 'backup/', [
      'backup/',
      'keys/',
      'operators/',
      RETRIEVAL,
      'messaging/attachments/',
      'db/',
      'version\\.ts',
      ...WORDS,
    ]),
    only('dashboard', 'dashboard/', ['dashboard/', 'errors\\.ts']),
    only('jobs-queue', QUEUE, [QUEUE, 'db/signal\\.ts', 'lib/']),
    only('jobs', 'jobs/', ['jobs/', 'keys/', 'messaging/', 'notifications/', ...EACH_DOMAIN, 'db/', ...WORDS]),
    only('ingestion', 'ingestion/', ['ingestion/', 'setup/', 'config/', ...EACH_DOMAIN, 'db/', ...WORDS]),
    // The operators' API of the demo.
    only('demo-admin', 'demo/admin/', ['demo/', 'admin/kit/', 'http/', ...EACH_DOMAIN, 'db/', ...WORDS]),
    only('demo', 'demo/(?!history/|admin/)', [
      'demo/',
      'setup/',
      'ingestion/',
      'messaging/',
      'config/',
      // The tables of a Workspace, which removing it deletes.
      'backup/exported-tables\\.ts',
      'admin/views/view-store\\.ts',
      ...EACH_DOMAIN,
      'db/',
      ...WORDS,
    ]),
    // The history of the demo is made by the real pipeline.
    only('demo-history', 'demo/history/', [
      'demo/',
      'admin/kit/',
      'gateway/',
      'dialects/',
      'pipeline/',
      ...EACH_DOMAIN,
      'db/',
      ...WORDS,
    ]),
    only('setup', 'setup/', ['setup/', 'demo/', 'ingestion/', 'messaging/', 'config/', ...EACH_DOMAIN, 'db/', ...WORDS]),
    only('processes', 'processes/', ['processes/', 'config/', 'telemetry/', 'setup/check-configuration-file\\.ts', ...WORDS]),
    only('cli', 'cli/', [
      'cli/',
      'backup/',
      'keys/',
      'messaging/',
      'setup/',
      'demo/',
      'ingestion/',
      'config/',
      ...EACH_DOMAIN,
      'processes/',
      'db/',
      '(serve|version|context-options)\\.ts',
      ...WORDS,
    ]),
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
    onlyInDashboard('views', 'views/', ['(api|ui|routing|views)/']),
    onlyInDashboard('routing', 'routing/', ['(api|routing|texts)/']),
    onlyInDashboard(
      'feature-never-another-feature',
      'features/([^/]+)/',
      ['(api|ui|routing|views)/', 'features/$1/'],
      // The texts that the command line prints too.
      ['domain/client-snippets\\.ts$'],
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
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}

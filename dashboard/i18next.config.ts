import { defineConfig } from 'i18next-cli'

/** Catalogues of the shell and the shared components, in src/texts; all others are in the folder of their feature. */
const SHARED = ['app', 'ui']

/** Checks of the catalogues: `npm run check` finds texts outside of them, keys that nothing uses and wrong placeholders. */
// biome-ignore lint/style/noDefaultExport: i18next-cli requires it
export default defineConfig({
  locales: ['en'],
  extract: {
    input: ['dashboard/src/**/*.{ts,tsx}'],
    output: (language, namespace = 'ui') =>
      SHARED.includes(namespace)
        ? `dashboard/src/texts/${language}/${namespace}.json`
        : `dashboard/src/features/${namespace}/${language}.json`,
    defaultNS: 'ui',
    // Catalogues are in the order in which one reads them.
    sort: false,
    // Keys that are put together: t(`navigation.pages.${name}`).
    preservePatterns: [
      'app:navigation.*',
      'account:twoFactor.titles.*',
      'account:notifications.topics.*',
      ...['formats.*', 'form.hints.*', 'groups.*', 'types.*', 'deliveries.states.*'].map((keys) => `webhooks:${keys}`),
      'conversations:list.*',
      'conversations:held.*',
      'conversations:failure.*',
      'conversations:reactions.*',
      'conversations:group',
      'playground:panels.*',
      'playground:saveTest.points.*',
      'playground:stages.*',
      'playground:tools.problems.*',
      'playground:code.formats.*',
      ...[
        'period.names',
        'period.last',
        'verdicts',
        'ruleVerdicts',
        'changed',
        'ruleChanges',
        'outcomes',
        'reasons',
        'levels',
        'findings',
        'health',
        'roles',
      ].map((keys) => `ui:${keys}.*`),
      ...['events.*', 'endpoints.*', 'verdicts.*', 'stages.*', 'integrity.*', 'record.content.*', 'record.usage.*'].map(
        (keys) => `audit:${keys}`,
      ),
      'home:breakdown.*',
      'home:demo.kinds.*',
      'usage:group.names.*',
      'usage:measure.names.*',
      'usage:interval.names.*',
      'usage:filters.*',
      'usage:verdicts.*',
      'usage:by.*',
      'usage:table.*',
      'usage:none.*',
      ...['appliesTo', 'periods', 'perPeriod', 'eachPerPeriod', 'form', 'members'].map((keys) => `budgets:${keys}.*`),
      'users:groups.*',
      ...['sources', 'claims'].map((keys) => `workspace:tokens.${keys}.*`),
      'home:checklist.steps.*',
      ...[
        'acl.*',
        'findable.*',
        'upload.states.*',
        'states.*',
        'documents.none.*',
        'explain.states.*',
        'form.departments',
        'form.roles',
        'form.users',
        'sources.form.*',
      ].map((keys) => `knowledge:${keys}`),
      ...['kinds.*', 'sources.*', 'scopes.*', 'filters.modes.*'].map((keys) => `memory:${keys}`),
      ...['kinds.*', 'apis.*', 'prices.sources.*', 'form.hints.*', 'provider.sources.*'].map((keys) => `providers:${keys}`),
      ...['keys.expiry.*', 'keys.overlap.*', 'settings.*'].map((keys) => `applications:${keys}`),
      ...[
        'states.*',
        'item.titles.*',
        'reasons.*',
        'content.roles.*',
        'preview.adds.*',
        'preview.memories.reasons.*',
        'preview.memories.scopes.*',
        'decision.*',
        'shortcuts.*',
        'arrange.*',
        'facts.*',
        'history.states.*',
        'undo.done.*',
        'undo.failed.*',
      ].map((keys) => `reviews:${keys}`),
      'sign-in:singleSignOn.failures.*',
      'policies:save.*',
      'policies:try.points.*',
      'policies:diff.*',
      'policies:form.*',
      'policies:merge.keep.*',
    ],
  },
  lint: {
    acceptedTags: 'all',
    ignoredTags: ['Code', 'code'],
  },
})

import type account from '../features/account/en.json'
import type applications from '../features/applications/en.json'
import type audit from '../features/audit/en.json'
import type budgets from '../features/budgets/en.json'
import type conversations from '../features/conversations/en.json'
import type home from '../features/home/en.json'
import type knowledge from '../features/knowledge/en.json'
import type memory from '../features/memory/en.json'
import type operators from '../features/operators/en.json'
import type playground from '../features/playground/en.json'
import type policies from '../features/policies/en.json'
import type providers from '../features/providers/en.json'
import type reviews from '../features/reviews/en.json'
import type signIn from '../features/sign-in/en.json'
import type teams from '../features/teams/en.json'
import type tokens from '../features/tokens/en.json'
import type usage from '../features/usage/en.json'
import type users from '../features/users/en.json'
import type webhooks from '../features/webhooks/en.json'
import type workspace from '../features/workspace/en.json'
import type app from './en/app.json'
import type ui from './en/ui.json'

/** Keys and placeholders of all catalogues, by namespace: `t('home:title')`. */
declare module 'i18next' {
  interface CustomTypeOptions {
    readonly defaultNS: 'ui'
    readonly resources: {
      readonly app: typeof app
      readonly ui: typeof ui
      readonly account: typeof account
      readonly applications: typeof applications
      readonly audit: typeof audit
      readonly budgets: typeof budgets
      readonly conversations: typeof conversations
      readonly home: typeof home
      readonly knowledge: typeof knowledge
      readonly memory: typeof memory
      readonly operators: typeof operators
      readonly playground: typeof playground
      readonly policies: typeof policies
      readonly providers: typeof providers
      readonly reviews: typeof reviews
      readonly teams: typeof teams
      readonly 'sign-in': typeof signIn
      readonly tokens: typeof tokens
      readonly usage: typeof usage
      readonly users: typeof users
      readonly webhooks: typeof webhooks
      readonly workspace: typeof workspace
    }
  }
}

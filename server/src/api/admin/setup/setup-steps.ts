import type { Scope } from '../../../shared/scope.ts'

/** The steps of the setup checklist in their order, each with the scope that it needs. */
const STEPS = {
  provider: 'providers:write',
  application: 'applications:write',
  request: 'applications:write',
  policy: 'policies:write',
  reviewer: 'operators:write',
} as const satisfies Record<string, Scope>

export type SetupStep = keyof typeof STEPS
export const SETUP_STEPS = Object.keys(STEPS) as readonly SetupStep[]

/** The steps that an operator with these scopes can do. */
export const stepsFor = (scopes: readonly Scope[]): readonly SetupStep[] =>
  SETUP_STEPS.filter((step) => scopes.includes(STEPS[step]))

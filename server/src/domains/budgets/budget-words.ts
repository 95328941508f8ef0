/** The members whose requests a budget counts together. */
export const BUDGET_SCOPES = ['workspace', 'application', 'team', 'key', 'user', 'department', 'claim'] as const
export type BudgetScope = (typeof BUDGET_SCOPES)[number]

export const BUDGET_UNITS = ['usd', 'tokens'] as const
export type BudgetUnit = (typeof BUDGET_UNITS)[number]

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** The treatment of requests without a known price by a budget of money. */
export const UNPRICED = ['refuse', 'ignore'] as const
export type Unpriced = (typeof UNPRICED)[number]

import { NumberInput, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { type Budget, SCOPE_LABELS } from './budget.ts'

export const valuesOf = (budget?: Budget) => ({
  name: budget?.name ?? '',
  scope: budget?.scope ?? ('workspace' as const),
  claim: budget?.claim ?? '',
  member: budget?.member ?? '',
  unit: budget?.unit ?? ('usd' as const),
  limit: budget?.limit ?? 0,
  period: budget?.period ?? ('month' as const),
  time_zone: budget?.time_zone ?? 'UTC',
  alerts: (budget?.alerts ?? [0.8, 1]).map((fraction) => String(Math.round(fraction * 100))),
  unpriced: budget?.unpriced ?? ('refuse' as const),
  enabled: budget?.enabled ?? true,
})
type Values = ReturnType<typeof valuesOf>

export const useBudgetForm = (budget?: Budget): UseFormReturnType<Values> => useForm<Values>({ initialValues: valuesOf(budget) })

/** The fields that can change later. */
export const patchBody = ({ name, limit, alerts, unpriced, enabled }: Values) => ({
  name: name.trim(),
  limit: Number(limit),
  alerts: alerts.map((percent) => Number(percent) / 100),
  unpriced,
  enabled,
})

export const createBody = (values: Values) => ({
  ...patchBody(values),
  scope: values.scope,
  ...(values.scope === 'claim' && { claim: values.claim.trim() }),
  ...(values.scope !== 'workspace' && { member: values.member.trim() || null }),
  unit: values.unit,
  period: values.period,
  time_zone: values.time_zone.trim() || null,
})

const options = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
const UNITS = options({ usd: 'US dollars', tokens: 'Tokens' })
const PERIODS = options({ day: 'Day', week: 'Week', month: 'Month' })
const UNPRICED = options({ refuse: 'Refuse', ignore: 'Count as 0' })

interface BudgetFormProps extends FormProps<Values> {
  /** Whether the fields can be set that decide what is counted. */
  readonly isNew: boolean
}

export function BudgetForm({ form, onSubmit, submit, pending, isNew }: BudgetFormProps) {
  const { unit } = form.getValues()
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      {isNew && <CountedFields form={form} />}
      <NumberInput
        label="Limit"
        description={unit === 'usd' ? 'USD' : 'Tokens'}
        required
        min={0}
        {...form.getInputProps('limit')}
      />
      <TagsInput label="Alerts" description="Percent of the limit" clearable {...form.getInputProps('alerts')} />
      {unit === 'usd' && (
        <Select label="Models without a price" data={UNPRICED} allowDeselect={false} {...form.getInputProps('unpriced')} />
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </SubmitForm>
  )
}

function CountedFields({ form }: Pick<BudgetFormProps, 'form'>) {
  const { scope } = form.getValues()
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label="Scope" data={options(SCOPE_LABELS)} allowDeselect={false} {...form.getInputProps('scope')} />
        <Select label="Unit" data={UNITS} allowDeselect={false} {...form.getInputProps('unit')} />
        <Select label="Period" data={PERIODS} allowDeselect={false} {...form.getInputProps('period')} />
        <TextInput label="Time zone" placeholder="UTC" {...form.getInputProps('time_zone')} />
      </SimpleGrid>
      {scope === 'claim' && (
        <TextInput label="Claim" description="Attribute of verified users" required {...form.getInputProps('claim')} />
      )}
      {scope !== 'workspace' && (
        <TextInput
          label="Member"
          description="ID of the Application, key or user, name of the department, or value of the claim. Empty: each has its own count"
          placeholder="Each"
          {...form.getInputProps('member')}
        />
      )}
    </>
  )
}

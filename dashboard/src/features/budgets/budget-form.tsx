import { NumberInput, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useApplicationNames } from '../../api/application-names.ts'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { type Budget, PERIOD_LABELS, SCOPE_LABELS } from './budget.ts'

export const valuesOf = (budget?: Budget) => ({
  name: budget?.name ?? '',
  scope: budget?.scope ?? ('workspace' as const),
  claim: budget?.claim ?? '',
  member: budget?.member ?? '',
  application_id: budget?.application_id ?? '',
  unit: budget?.unit ?? ('usd' as const),
  /** Empty until the operator enters it: a limit of 0 refuses all requests. */
  limit: (budget?.limit ?? '') as number | '',
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
  ...(values.scope !== 'workspace' && { member: values.member?.trim() || null }),
  ...(values.scope !== 'application' && { application_id: values.application_id || null }),
  unit: values.unit,
  period: values.period,
  time_zone: values.time_zone.trim() || null,
})

const options = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
const UNITS = options({ usd: 'US dollars', tokens: 'Tokens' })
const PERIODS = options(PERIOD_LABELS)
const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
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
        label={unit === 'usd' ? 'Limit in US dollars' : 'Limit in tokens'}
        required
        min={0}
        thousandSeparator=" "
        allowDecimal={unit === 'usd'}
        {...(unit === 'usd' && { prefix: '$' })}
        {...form.getInputProps('limit')}
      />
      <TagsInput
        label="Alerts"
        description="Percent of the limit. Webhooks get the event budget.alert"
        clearable
        {...form.getInputProps('alerts')}
      />
      {unit === 'usd' && (
        <Select label="Models without a price" data={UNPRICED} allowDeselect={false} {...form.getInputProps('unpriced')} />
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </SubmitForm>
  )
}

function CountedFields({ form }: Pick<BudgetFormProps, 'form'>) {
  const { scope } = form.getValues()
  const { choices } = useApplicationNames()
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label="Scope" data={options(SCOPE_LABELS)} allowDeselect={false} {...form.getInputProps('scope')} />
        <Select label="Unit" data={UNITS} allowDeselect={false} {...form.getInputProps('unit')} />
        <Select label="Period" data={PERIODS} allowDeselect={false} {...form.getInputProps('period')} />
        <Select label="Time zone" data={TIME_ZONES} searchable allowDeselect={false} {...form.getInputProps('time_zone')} />
      </SimpleGrid>
      {scope === 'claim' && (
        <TextInput label="Claim" description="Attribute of verified users" required {...form.getInputProps('claim')} />
      )}
      {scope === 'application' && (
        <Select
          label="Member"
          description={EACH}
          placeholder="Each"
          data={choices}
          searchable
          clearable
          {...form.getInputProps('member')}
        />
      )}
      {MEMBERS[scope] && (
        <TextInput
          label="Member"
          description={`${MEMBERS[scope]} ${EACH}`}
          placeholder="Each"
          {...form.getInputProps('member')}
        />
      )}
      {scope !== 'application' && (
        <Select
          label="Only requests of"
          placeholder="All Applications"
          data={choices}
          searchable
          clearable
          {...form.getInputProps('application_id')}
        />
      )}
    </>
  )
}

const EACH = 'Empty: each member is counted separately.'
/** Members that are typed. */
const MEMBERS: Readonly<Partial<Record<Budget['scope'], string>>> = {
  key: 'ID of the key.',
  user: 'ID of the user.',
  department: 'Name of the department.',
  claim: 'Value of the claim.',
}

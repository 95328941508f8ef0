import { NumberInput, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useTeamNames } from '../../api/team-names.ts'
import { useUnpricedModels } from '../../api/unpriced-models.ts'
import { SEPARATORS } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { UnpricedNote } from '../../ui/unpriced-note.tsx'
import { type Budget, type MemberKind, TARGETS, WINDOWS } from './budget.ts'

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

export const useBudgetForm = (budget?: Budget, team?: string): UseFormReturnType<Values> =>
  useForm<Values>({ initialValues: { ...valuesOf(budget), ...(team && { scope: 'team', member: team }) } })

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

const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

interface BudgetFormProps extends FormProps<Values> {
  /** Whether the fields can be set that decide what is counted. */
  readonly isNew: boolean
}

export function BudgetForm({ form, onSubmit, submit, pending, isNew }: BudgetFormProps) {
  const { t } = useTranslation('budgets')
  const { unit, unpriced: mode } = form.getValues()
  const models = useUnpricedModels()
  const unpriced = (['refuse', 'ignore'] as const).map((value) => ({ value, label: t(`form.unpricedModes.${value}`) }))
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      <TextInput label={t('form.name')} required data-autofocus {...form.getInputProps('name')} />
      {isNew && <CountedFields form={form} />}
      <NumberInput
        label={t(`form.limit.${unit}`)}
        required
        min={0}
        {...SEPARATORS}
        allowDecimal={unit === 'usd'}
        {...(unit === 'usd' && { prefix: '$' })}
        {...form.getInputProps('limit')}
      />
      <TagsInput label={t('form.alerts')} description={t('form.alertsHint')} clearable {...form.getInputProps('alerts')} />
      {unit === 'usd' && (
        <Select label={t('form.unpriced')} data={unpriced} allowDeselect={false} {...form.getInputProps('unpriced')} />
      )}
      {unit === 'usd' && mode === 'refuse' && (
        <UnpricedNote models={models}>
          {t('form.unpricedRefused', { count: models.length })}{' '}
          <Link to="/models" underline="always">
            {t('form.setPrices')}
          </Link>
        </UnpricedNote>
      )}
      <Switch label={t('form.enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </SubmitForm>
  )
}

function CountedFields({ form }: Pick<BudgetFormProps, 'form'>) {
  const { t } = useTranslation('budgets')
  const { scope } = form.getValues()
  const { choices } = useApplicationNames()
  const { choices: teams } = useTeamNames()
  const targets = TARGETS.map((value) => ({ value, label: t(`form.targets.${value}`) }))
  const units = (['usd', 'tokens'] as const).map((value) => ({ value, label: t(`form.units.${value}`) }))
  const periods = WINDOWS.map((value) => ({ value, label: t(`periods.${value}`) }))
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label={t('form.appliesTo')} data={targets} allowDeselect={false} {...form.getInputProps('scope')} />
        <Select label={t('form.unit')} data={units} allowDeselect={false} {...form.getInputProps('unit')} />
        <Select label={t('form.period')} data={periods} allowDeselect={false} {...form.getInputProps('period')} />
        <Select
          label={t('form.timeZone')}
          data={TIME_ZONES}
          searchable
          allowDeselect={false}
          {...form.getInputProps('time_zone')}
        />
      </SimpleGrid>
      {scope === 'claim' && (
        <TextInput label={t('form.claim')} description={t('form.claimHint')} required {...form.getInputProps('claim')} />
      )}
      {scope !== 'workspace' && <MemberField form={form} kind={scope} choices={scope === 'team' ? teams : choices} />}
      {scope !== 'application' && (
        <Select
          label={t('form.only')}
          placeholder={t('form.allApplications')}
          data={choices}
          searchable
          clearable
          {...form.getInputProps('application_id')}
          value={form.getValues().application_id || null}
        />
      )}
    </>
  )
}

interface MemberFieldProps extends Pick<BudgetFormProps, 'form'> {
  readonly kind: MemberKind
  readonly choices: ReturnType<typeof useApplicationNames>['choices']
}

/** Applications and teams are chosen; keys, users, departments and values are typed. */
function MemberField({ form, kind, choices }: MemberFieldProps) {
  const { t } = useTranslation('budgets')
  const input = {
    label: t(`form.member.${kind}`),
    description: t('form.memberHint'),
    placeholder: t('form.each'),
    ...form.getInputProps('member'),
  }
  if (kind !== 'application' && kind !== 'team') return <TextInput {...input} />
  return <Select {...input} value={form.getValues().member || null} data={choices} searchable clearable />
}

import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useTeamNames } from '../../api/team-names.ts'

interface TeamFieldProps {
  readonly form: {
    readonly getInputProps: (path: string) => object
    readonly getValues: () => { readonly team_id: string }
    readonly setFieldValue: (path: 'team_id', value: string) => void
  }
}

/** The team of a key. Not shown in a Workspace without teams. */
export function TeamField({ form }: TeamFieldProps) {
  const { t } = useTranslation('applications')
  const { choices } = useTeamNames()
  if (choices.length === 0) return null
  return (
    <Select
      label={t('keys.fields.team')}
      description={t('keys.fields.teamHint')}
      placeholder={t('keys.fields.noTeam')}
      data={choices}
      searchable
      clearable
      {...form.getInputProps('team_id')}
      value={form.getValues().team_id || null}
      onChange={(value) => form.setFieldValue('team_id', value ?? '')}
    />
  )
}

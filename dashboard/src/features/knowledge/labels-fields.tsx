import { Select, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import { type Acl, aclBody } from './acl.ts'
import { AclField } from './acl-field.tsx'

export interface LabelValues {
  classification: (typeof CLASSIFICATIONS)[number] | null
  regulations: string[]
  acl: Acl | null
}

/** As the API takes them. */
export const labelsBody = ({ classification, regulations, acl }: LabelValues) => ({
  classification,
  regulations: regulations.length > 0 ? regulations : null,
  acl: aclBody(acl),
})

interface LabelsFieldsProps {
  readonly form: Pick<UseFormReturnType<LabelValues>, 'getInputProps'>
  readonly unsaid: { readonly classification: string; readonly acl: string }
}

/** What is said about content: how sensitive it is, what it falls under, who may read it. */
export function LabelsFields({ form, unsaid }: LabelsFieldsProps) {
  const { value, onChange, error } = form.getInputProps('acl')
  return (
    <>
      <Select
        label="Classification"
        placeholder={unsaid.classification}
        clearable
        data={CLASSIFICATIONS}
        {...form.getInputProps('classification')}
      />
      <TagsInput
        label="Regulations"
        description="Policies see them: gdpr, hipaa …"
        acceptValueOnBlur
        {...form.getInputProps('regulations')}
      />
      <AclField value={value} onChange={onChange} unsaid={unsaid.acl} error={error} />
    </>
  )
}

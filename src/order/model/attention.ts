/** The codes of the value set order-attention, in the order of responses. */
export const attentionCodes = ['UNANSWERED', 'LATE', 'RETURNED', 'QUESTION'] as const
export type Attention = (typeof attentionCodes)[number]

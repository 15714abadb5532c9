export const RECEIVING_MODES = ["off", "forward"] as const

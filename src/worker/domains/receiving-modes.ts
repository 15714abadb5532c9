export const RECEIVING_MODES = ["off", "routing", "forward"] as const

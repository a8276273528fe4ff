"""The page at / of the gateway: what agents do, live, for people who look on."""

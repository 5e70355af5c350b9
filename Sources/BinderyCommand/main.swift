import BinderyMenu

Command.main()

from vitrain import main

main()
